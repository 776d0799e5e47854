package schemas

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
)

// A TrialDesk is where people try schemas.
type TrialDesk struct {
	*Trials
	Schemas Desk
}

type trying struct {
	YAML string `json:"yaml" arg:"FILE" file:"1048576" missing:"Name one YAML file, or - for a pipe: clew schema try schema.yaml. clew schema show prints a schema to start with." doc:"text of the schema"`
	Of
	Chunks []string `json:"chunks" doc:"ids of the chunks to try"`
	Saying string   `json:"saying" doc:"try chunks that contain these words"`
}

// Billed is a trial with the cost of reading again.
type Billed struct {
	Trial Trial `json:"trial"`
	Bill  Bill  `json:"bill"`
}

// TrialOperations are the operations on drafts of schemas.
func TrialOperations() []operation.Operation[TrialDesk] {
	return []operation.Operation[TrialDesk]{operation.Op[TrialDesk, Applying, Bill]{
		Name: "schema apply", Short: "Read again what the schemas in use change", Scope: operation.WriteSchema, Routes: []string{"POST /schema/apply"}, Own: true,
		Do: TrialDesk.Apply, Text: func(w io.Writer, b Bill) error { return b.Print(w) },
	}, operation.Op[TrialDesk, trying, Billed]{
		Name: "schema try", Short: "Try a schema on a few chunks, and say what reading again would cost", Scope: operation.WriteSchema, Routes: []string{"POST /schemas/try"}, Trail: operation.Trail{Never: "it tries, and changes nothing"},
		Long: `Read a few chunks by the schema in FILE, or on standard input if FILE is -, and
print what would be in the graph beside what is there, and what would be dropped.
Print what lines of a few documents state of the fields that it asks for. Then print what reading again would cost. Nothing is changed. The answers of a
model are recorded, so that reading the same chunks for good does not cost them
again. Without --chunks and --saying it takes a sample, always the same.`,
		Do: TrialDesk.try,
		Text: func(w io.Writer, b Billed) error {
			if err := printTrial(w, b.Trial); err != nil {
				return err
			}
			return b.Bill.Print(w)
		},
	}}
}

// Applying is the progress of applying schemas.
type Applying struct {
	Dry bool `json:"dry" doc:"print the bill and queue nothing"`
}

// Apply has read again what the schemas in use change, and returns the bill.
func (d TrialDesk) Apply(ctx context.Context, in Applying) (Bill, error) {
	if in.Dry {
		return d.Pending(ctx, domain.WorkspaceOf(ctx))
	}
	return d.Trials.Apply(ctx, domain.WorkspaceOf(ctx))
}

func (d TrialDesk) try(ctx context.Context, in trying) (b Billed, err error) {
	w := domain.WorkspaceOf(ctx)
	var draft Draft
	if draft.Scope, err = d.Schemas.Scope(ctx, in.Of); err != nil {
		return b, err
	}
	if draft.Guide, err = Read([]byte(in.YAML)); err != nil {
		return b, err
	}
	chosen := lists.Map(in.Chunks, func(id string) domain.ChunkID { return domain.ChunkID(id) })
	if len(chosen) == 0 {
		if chosen, err = d.Saying(ctx, w, draft, in.Saying); err != nil {
			return b, err
		}
	}
	t, err := d.Run(ctx, w, draft, chosen)
	if err != nil {
		return b, err
	}
	bill, err := d.Bill(ctx, w, draft)
	if err != nil {
		return b, err
	}
	return Billed{t, bill}, nil
}

func printTrial(w io.Writer, t Trial) error {
	err := operation.Columns(w, "CHUNK\tENTITIES\tRELATIONS\tDROPPED\tDOCUMENT", func(line func(...any)) {
		for _, c := range t.Chunks {
			where := fmt.Sprintf("%s, %d", c.Name, c.Chunk.Ordinal+1)
			if c.Problem != "" {
				line(c.Chunk.ID, "", "", "", where+": "+c.Problem)
				continue
			}
			become := func(now, draft int) string { return fmt.Sprintf("%d → %d", now, draft) }
			line(c.Chunk.ID, become(len(c.Now.Graph.Nodes), len(c.Draft.Graph.Nodes)),
				become(len(c.Now.Graph.Relationships), len(c.Draft.Graph.Relationships)), become(len(c.Now.Dropped), len(c.Draft.Dropped)), where)
		}
	})
	for _, c := range t.Chunks {
		for _, d := range c.Draft.Dropped {
			fmt.Fprintf(w, "dropped from %s: %s %s. %s\n", c.Chunk.ID, d.Kind, d.Named(), d.Reason)
		}
	}
	for _, f := range t.Fields {
		if f.Problem != "" {
			fmt.Fprintf(w, "field %s: %s\n", f.Name, f.Problem)
			continue
		}
		fmt.Fprintf(w, "field %s: stated by lines of %d of %s\n", f.Name, f.Found, domain.Counted(t.Looked, "document", "documents"))
		for _, v := range f.Values {
			fmt.Fprintf(w, "  %s  “%s”, %s\n", strings.Join(v.Values, ", "), v.Line, v.Name)
		}
	}
	fmt.Fprintf(w, "Tried on %d of %d chunks: %d calls, %d tokens%s.\n", len(t.Chunks), t.Of, t.Cost.Calls, t.Cost.Tokens.Input+t.Cost.Tokens.Output, money(t.Money))
	return err
}

// Print prints what reading again would take.
func (b Bill) Print(w io.Writer) error {
	if b.Documents == 0 {
		_, err := fmt.Fprintln(w, "Reading again would change nothing.")
		return err
	}
	fmt.Fprintf(w, "Reading again: %d of %d chunks in %d documents. The schema is applied to %d without a call; a model is asked for %d.\n",
		b.Chunks, b.Of, b.Documents, b.Chunks-b.Asked, b.Asked)
	if b.Fields > 0 {
		fmt.Fprintf(w, "The fields of %d documents are read anew.\n", b.Fields)
	}
	if b.Calls > 0 {
		fmt.Fprintf(w, "Calls: %d, tokens: %d to %d%s, time: %v to %v.\n", b.Calls, b.Tokens.From, b.Tokens.To, money(b.Money),
			time.Duration(b.Seconds.From)*time.Second, time.Duration(b.Seconds.To)*time.Second)
	}
	for _, why := range b.Why {
		fmt.Fprintf(w, "  %d %s %s\n", why.Chunks, why.Need, strings.Join(why.About, ", "))
	}
	return nil
}

func money(m *costs.MoneyRange) string {
	if m == nil {
		return ""
	}
	return ", " + m.String()
}
