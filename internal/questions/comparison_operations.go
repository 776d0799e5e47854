package questions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
)

type twoRuns struct {
	Left  domain.RunID `json:"left" arg:"LEFT" doc:"id of a run"`
	Right domain.RunID `json:"right" arg:"RIGHT" doc:"id of the run to compare it with"`
}

// ComparisonOperations returns the operations that compare runs.
func ComparisonOperations() []operation.Operation[*Comparisons] {
	return []operation.Operation[*Comparisons]{operation.Op[*Comparisons, twoRuns, Compared]{
		Name: "run compare", Short: "Show two runs side by side", Scope: operation.Read, Routes: []string{"GET /runs/{left}/compare/{right}"}, Example: "  clew run compare j0123456789abcdef0123 j3210fedcba9876543210",
		Long: `Show two runs side by side: their steps, aligned by node and loop, the fields in
which their last states differ, and the passages that they read, with rank and
grade.`,
		Do:   (*Comparisons).compared,
		Text: func(w io.Writer, c Compared) error { return c.print(w) },
	}}
}

// Compared are two runs side by side.
type Compared struct {
	Left     SideCompared    `json:"left"`
	Right    SideCompared    `json:"right"`
	Steps    []StepCompared  `json:"steps"`
	States   []FieldCompared `json:"states"` // fields that differ at the end; empty if a state is not kept
	Passages []PassageRead   `json:"passages"`
}

// SideCompared is one of two runs.
type SideCompared struct {
	ID      domain.RunID `json:"id"`
	Kind    string       `json:"kind"`
	About   string       `json:"about"`
	Status  job.Status   `json:"status"`
	Millis  int64        `json:"ms"`
	Tokens  int          `json:"tokens"`
	Cost    cost         `json:"cost"`
	Answer  string       `json:"answer,omitempty"`
	Problem string       `json:"problem,omitempty"`
}

// cost is the cost of a run's models.
type cost struct {
	Money    json.Number `json:"money"` // of the calls with a price
	Currency string      `json:"currency"`
	Unknown  []string    `json:"unknown,omitempty"` // models without a price
}

func costOf(a costs.Amount) cost { return cost{json.Number(a.Money.Decimal()), a.Currency, a.Unknown} }

// short returns the cost for a column.
func (c cost) short() string {
	money, err := costs.ParseMoney(string(c.Money))
	if err != nil {
		return string(c.Money)
	}
	return costs.Amount{Money: money, Currency: c.Currency, Unknown: c.Unknown}.Short()
}

// StepCompared pairs a step of each run; one of them may be missing.
type StepCompared struct {
	Left  *rowOfStep `json:"left,omitempty"`
	Right *rowOfStep `json:"right,omitempty"`
}

type rowOfStep struct {
	Row    int    `json:"row"`
	Node   string `json:"node"`
	Millis int64  `json:"ms"`
	Tokens int    `json:"tokens,omitempty"`
}

// FieldCompared is a field of two states.
type FieldCompared struct {
	Field string          `json:"field"`
	Left  json.RawMessage `json:"left,omitempty"`
	Right json.RawMessage `json:"right,omitempty"`
}

// PassageRead is a passage that at least one of two runs read.
type PassageRead struct {
	Chunk    domain.ChunkID  `json:"chunk"`
	Document string          `json:"document,omitempty"`
	Page     int             `json:"page,omitempty"`
	Place    string          `json:"place,omitempty"`
	Left     *readingPrinted `json:"left,omitempty"`
	Right    *readingPrinted `json:"right,omitempty"`
}

type readingPrinted struct {
	Rank   int            `json:"rank,omitempty"`
	Loop   int            `json:"loop"`
	Grade  domain.Verdict `json:"grade,omitempty"`
	Reason string         `json:"reason,omitempty"`
}

func (c *Comparisons) compared(ctx context.Context, in twoRuns) (out Compared, err error) {
	sides, err := c.Sides(ctx, domain.WorkspaceOf(ctx), in.Left, in.Right)
	if err != nil {
		return out, err
	}
	for i, to := range []*SideCompared{&out.Left, &out.Right} {
		x := sides[i]
		spent, err := c.Cost(ctx, x.View)
		if err != nil {
			return out, err
		}
		*to = SideCompared{x.ID, x.Run.Kind, x.About.Title, x.Status, x.Took(c.Now()).Milliseconds(), x.View.Tokens(), costOf(spent), x.Answer, x.Problem}
	}
	out.Steps, out.States, out.Passages = []StepCompared{}, []FieldCompared{}, []PassageRead{}
	var last compare.Pair
	for _, p := range compare.Steps(sides[0].View.Steps, sides[1].View.Steps) {
		out.Steps = append(out.Steps, StepCompared{rowOf(p.Left), rowOf(p.Right)})
		if p.Left != nil && p.Right != nil {
			last = p
		}
	}
	fields, err := c.States(ctx, sides[0], sides[1], last)
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return out, err
	}
	for _, f := range fields {
		if !f.Same() {
			out.States = append(out.States, FieldCompared{f.Name, f.Left, f.Right})
		}
	}
	for _, p := range compare.Passages(sides[0].View, sides[1].View) {
		out.Passages = append(out.Passages, PassageRead{p.Chunk, p.Name, p.Page, p.Place, printed(p.Left), printed(p.Right)})
	}
	return out, nil
}

func rowOf(s *trace.Step) *rowOfStep {
	if s == nil {
		return nil
	}
	return &rowOfStep{s.N, s.Name(), s.Took.Milliseconds(), s.Tokens()}
}

func printed(r *compare.Reading) *readingPrinted {
	if r == nil {
		return nil
	}
	return &readingPrinted{r.Rank, r.Loop, r.Grade.Verdict, r.Grade.Reason}
}

func (c Compared) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tLEFT\tRIGHT")
	fmt.Fprintf(table, "run\t%s\t%s\n", c.Left.ID, c.Right.ID)
	fmt.Fprintf(table, "about\t%s\t%s\n", c.Left.About, c.Right.About)
	fmt.Fprintf(table, "ms\t%d\t%d\n", c.Left.Millis, c.Right.Millis)
	fmt.Fprintf(table, "tokens\t%d\t%d\n", c.Left.Tokens, c.Right.Tokens)
	fmt.Fprintf(table, "cost\t%s\t%s\n", c.Left.Cost.short(), c.Right.Cost.short())
	fmt.Fprintf(table, "answer\t%s\t%s\n", domain.Cut(c.Left.Answer, 60), domain.Cut(c.Right.Answer, 60))
	fmt.Fprintln(table, "\nSTEPS")
	for _, s := range c.Steps {
		fmt.Fprintf(table, "\t%s\t%s\n", s.Left, s.Right)
	}
	fmt.Fprintln(table, "\nPASSAGES")
	for _, p := range c.Passages {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Document, p.Left, p.Right)
	}
	if len(c.States) > 0 {
		fmt.Fprintln(table, "\nSTATES, AT THE END")
	}
	for _, f := range c.States {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Field, domain.Cut(string(f.Left), 60), domain.Cut(string(f.Right), 60))
	}
	return table.Flush()
}

// String prints a step, or a dash for a missing one.
func (r *rowOfStep) String() string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%s, %d ms", r.Node, r.Millis)
}

// String prints a rank and a grade, or a dash for a passage that was not read.
func (r *readingPrinted) String() string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("rank %d, %s", r.Rank, r.Grade)
}

// Methods are the answers to a question by each method of searching.
type Methods struct {
	Question string            `json:"question"`
	Helped   string            `json:"helped"` // whether the graph helped, in words
	Methods  []MethodCompared  `json:"methods"`
	Passages []PassageCompared `json:"passages"`      // needed ones first
	Of       domain.RunID      `json:"run,omitempty"` // whose question it is
}

// At implements operation.Begun.
func (c Methods) At() string {
	if !slices.ContainsFunc(c.Methods, func(m MethodCompared) bool { return !m.Status.Over() }) {
		return ""
	}
	return "/runs/" + string(c.Of) + "/methods"
}

// Runs implements operation.Carried.
func (c Methods) Runs() (runs []domain.RunID) {
	for _, m := range c.Methods {
		if !m.Status.Over() {
			runs = append(runs, m.Run)
		}
	}
	return runs
}

// MethodCompared is the answer by a method.
type MethodCompared struct {
	Method  domain.MethodName    `json:"method"` // "" means the whole loop
	Run     domain.RunID         `json:"run"`
	Status  ledger.MessageStatus `json:"status"`
	Problem string               `json:"problem,omitempty"`
	Answer  string               `json:"answer"`
	Needed  int                  `json:"needed_read"`
	Millis  int64                `json:"ms"`
	Tokens  int                  `json:"tokens"`
	Cost    cost                 `json:"cost"`
}

// PassageCompared is a passage with its rank by each method.
type PassageCompared struct {
	Chunk  domain.ChunkID          `json:"chunk"`
	Needed bool                    `json:"needed"` // an answer rests on it
	Only   bool                    `json:"only"`   // only methods that use the graph read it
	Ranks  map[string]rankCompared `json:"ranks"`  // by method; "loop" means the whole loop
	Path   []domain.Hop            `json:"path,omitempty"`
}

type rankCompared struct {
	Rank int  `json:"rank"`
	Read bool `json:"read"`
}

// MethodsCompared returns the answers to the question of a message by each method.
func (c *Comparisons) MethodsCompared(ctx context.Context, m ledger.Answer, by map[domain.MethodName]ledger.Answer) (Methods, error) {
	ways, ranks, err := c.Ways(ctx, m.Workspace, by)
	if err != nil {
		return Methods{}, err
	}
	word, sentence := ranks.Helped()
	out := Methods{Question: m.Question, Helped: word + " " + sentence, Methods: []MethodCompared{}, Passages: []PassageCompared{}}
	for i, way := range ways {
		out.Methods = append(out.Methods, MethodCompared{
			way.Method, way.Branch.Run, way.Branch.Status, way.Branch.Problem, way.Branch.Text, ranks.Read(i),
			way.View.Took(c.Now()).Milliseconds(), way.View.Tokens(), costOf(way.Cost),
		})
	}
	for _, x := range ranks.Rows {
		p := PassageCompared{Chunk: x.Chunk, Needed: x.Needed, Only: x.Only, Ranks: map[string]rankCompared{}, Path: x.Path}
		for i, k := range x.Ranks {
			if k.N > 0 {
				p.Ranks[cmp.Or(string(ways[i].Method), "loop")] = rankCompared{k.N, k.Read}
			}
		}
		out.Passages = append(out.Passages, p)
	}
	return out, nil
}

// Print prints the comparison for people.
func (c Methods) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s\n\nDid the graph help? %s\n\n", c.Question, c.Helped)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METHOD\tNEEDED READ\tMS\tTOKENS\tCOST\tANSWER")
	for _, m := range c.Methods {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\n", Searched(m.Method), m.Needed, m.Millis, m.Tokens, m.Cost.short(), domain.Cut(domain.OneLine(cmp.Or(m.Problem, m.Answer)), 70))
	}
	return table.Flush()
}
