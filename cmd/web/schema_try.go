package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/schemas"
)

// tryFlags choose the chunks of a dry run.
type tryFlags struct {
	chunks []string
	saying string
}

// try tries a schema on a few chunks.
func (sh schemaShell) try(f tryFlags) error {
	text, err := readFile(sh.args[0], sh.env.stdin, schemas.MaxYAML)
	if err != nil {
		return err
	}
	d := schemas.Draft{Scope: sh.scope}
	if d.Guide, err = schemas.Read(text); err != nil {
		return err
	}
	var chosen []domain.ChunkID
	for _, id := range f.chunks {
		chosen = append(chosen, domain.ChunkID(id))
	}
	if len(chosen) == 0 {
		if chosen, err = sh.trial.Saying(sh.ctx, domain.DefaultWorkspace, d, f.saying); err != nil {
			return err
		}
	}
	var t tried
	if t.Trial, err = sh.trial.Run(sh.ctx, domain.DefaultWorkspace, d, chosen); err != nil {
		return err
	}
	if t.Bill, err = sh.trial.Bill(sh.ctx, domain.DefaultWorkspace, d); err != nil {
		return err
	}
	if sh.asJSON {
		return sh.print(t)
	}
	if err := printDryRun(sh.env.stdout, t.Trial); err != nil {
		return err
	}
	printBill(sh.env.stdout, t.Bill)
	return nil
}

// tried is the output of clew schema try --json.
type tried struct {
	Trial schemas.Trial `json:"trial"`
	Bill  schemas.Bill  `json:"bill"`
}

func printDryRun(w io.Writer, t schemas.Trial) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHUNK\tENTITIES\tRELATIONS\tDROPPED\tDOCUMENT")
	for _, c := range t.Chunks {
		if c.Problem != "" {
			fmt.Fprintf(table, "%s\t\t\t\t%s, %d: %s\n", c.Chunk.ID, c.Name, c.Chunk.Ordinal+1, c.Problem)
			continue
		}
		fmt.Fprintf(table, "%s\t%d → %d\t%d → %d\t%d → %d\t%s, %d\n", c.Chunk.ID, len(c.Now.Graph.Nodes), len(c.Draft.Graph.Nodes),
			len(c.Now.Graph.Relationships), len(c.Draft.Graph.Relationships), len(c.Now.Dropped), len(c.Draft.Dropped), c.Name, c.Chunk.Ordinal+1)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, c := range t.Chunks {
		for _, d := range c.Draft.Dropped {
			fmt.Fprintf(w, "dropped from %s: %s %s. %s\n", c.Chunk.ID, d.Kind, d.Named(), d.Reason)
		}
	}
	fmt.Fprintf(w, "Tried on %d of %d chunks: %d calls, %d tokens%s.\n", len(t.Chunks), t.Of, t.Cost.Calls, t.Cost.Tokens.Input+t.Cost.Tokens.Output, money(t.Money))
	return nil
}

func printBill(w io.Writer, b schemas.Bill) {
	if b.Chunks == 0 {
		fmt.Fprintln(w, "Reading again would change nothing.")
		return
	}
	fmt.Fprintf(w, "Reading again: %d of %d chunks in %d documents. The schema is applied to %d without a call; a model is asked for %d.\n",
		b.Chunks, b.Of, b.Documents, b.Chunks-b.Asked, b.Asked)
	if b.Calls > 0 {
		fmt.Fprintf(w, "Calls: %d, tokens: %d to %d%s, time: %v to %v.\n", b.Calls, b.Tokens.From, b.Tokens.To, money(b.Money),
			time.Duration(b.Seconds.From)*time.Second, time.Duration(b.Seconds.To)*time.Second)
	}
	for _, why := range b.Why {
		fmt.Fprintf(w, "  %d %s %s\n", why.Chunks, why.Need, strings.Join(why.About, ", "))
	}
}

func money(m *costs.MoneyRange) string {
	if m == nil {
		return ""
	}
	return ", " + m.String()
}
