package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/branches"
	"github.com/clewhq/clew/internal/compare"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/internal/web/comparison"
	"github.com/clewhq/clew/internal/web/present"
)

// runsCompared is the output of clew run compare --json.
type runsCompared struct {
	Left     comparedRun       `json:"left"`
	Right    comparedRun       `json:"right"`
	Steps    []comparedStep    `json:"steps"`
	States   []comparedField   `json:"states"` // fields that differ at the end; none if a state is not kept
	Passages []comparedPassage `json:"passages"`
}

type comparedRun struct {
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

// cost holds the cost of a run's models.
type cost struct {
	Money    json.Number `json:"money"` // of the calls with a price
	Currency string      `json:"currency"`
	Unknown  []string    `json:"unknown,omitempty"` // models without a price
	text     string
}

func costOf(a costs.Amount) cost {
	return cost{json.Number(a.Money.Decimal()), a.Currency, a.Unknown, a.Short()}
}

// comparedStep is a step of each run; one of them may be missing.
type comparedStep struct {
	Left  *rowOfStep `json:"left,omitempty"`
	Right *rowOfStep `json:"right,omitempty"`
}

type rowOfStep struct {
	Row    int    `json:"row"`
	Node   string `json:"node"`
	Millis int64  `json:"ms"`
	Tokens int    `json:"tokens,omitempty"`
}

type comparedField struct {
	Field string          `json:"field"`
	Left  json.RawMessage `json:"left,omitempty"`
	Right json.RawMessage `json:"right,omitempty"`
}

type comparedPassage struct {
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

func (a *app) comparisons() *comparison.Reader {
	return &comparison.Reader{
		Runs:   &present.Runs{Queue: a.queue, Hub: a.hub, Kinds: a.kinds(), Now: a.env.now},
		Ledger: a.ledger, Prices: a.costs.Prices, Branch: branches.Kind,
	}
}

func runCompareCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare LEFT RIGHT",
		Short: "Show two runs side by side",
		Long: `Show two runs side by side: their steps, aligned by node and loop, the fields in
which their last states differ, and the passages that they read, with rank and
grade.`,
		Example: "  clew run compare j0123456789abcdef0123 j3210fedcba9876543210",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				c, err := a.compare(cmd, domain.RunID(args[0]), domain.RunID(args[1]))
				switch {
				case err != nil:
					return err
				case asJSON:
					return printJSON(s.stdout, c)
				}
				return c.print(s.stdout)
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (a *app) compare(cmd *cobra.Command, left, right domain.RunID) (c runsCompared, err error) {
	reader := a.comparisons()
	sides, err := reader.Sides(cmd.Context(), domain.DefaultWorkspace, left, right)
	if err != nil {
		return c, err
	}
	for i, to := range []*comparedRun{&c.Left, &c.Right} {
		x := sides[i]
		spent, err := reader.Cost(cmd.Context(), x.View)
		if err != nil {
			return c, err
		}
		*to = comparedRun{x.ID, x.Run.Kind, x.About.Title, x.Status, x.Took(a.env.now()).Milliseconds(), x.View.Tokens(), costOf(spent), x.Answer, x.Problem}
	}
	c.Steps, c.States, c.Passages = []comparedStep{}, []comparedField{}, []comparedPassage{}
	var last compare.Pair
	for _, p := range compare.Steps(sides[0].View.Steps, sides[1].View.Steps) {
		c.Steps = append(c.Steps, comparedStep{rowOf(p.Left), rowOf(p.Right)})
		if p.Left != nil && p.Right != nil {
			last = p
		}
	}
	fields, err := reader.States(cmd.Context(), sides[0], sides[1], last)
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return c, err
	}
	for _, f := range fields {
		if !f.Same() {
			c.States = append(c.States, comparedField{f.Name, f.Left, f.Right})
		}
	}
	for _, p := range compare.Passages(sides[0].View, sides[1].View) {
		c.Passages = append(c.Passages, comparedPassage{p.Chunk, p.Name, p.Page, p.Place, printed(p.Left), printed(p.Right)})
	}
	return c, nil
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

func (c runsCompared) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tLEFT\tRIGHT")
	fmt.Fprintf(table, "run\t%s\t%s\n", c.Left.ID, c.Right.ID)
	fmt.Fprintf(table, "about\t%s\t%s\n", c.Left.About, c.Right.About)
	fmt.Fprintf(table, "ms\t%d\t%d\n", c.Left.Millis, c.Right.Millis)
	fmt.Fprintf(table, "tokens\t%d\t%d\n", c.Left.Tokens, c.Right.Tokens)
	fmt.Fprintf(table, "cost\t%s\t%s\n", c.Left.Cost.text, c.Right.Cost.text)
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

// String prints a step, or a dash where there is none.
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
