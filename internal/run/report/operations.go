package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/format"
)

type showIn struct {
	ID        domain.RunID `json:"id" arg:"ID" doc:"id of a run"`
	Technical bool         `json:"technical" doc:"use the names of the graph's nodes, with tokens and what each step wrote to the state"`
}

type stateIn struct {
	ID   domain.RunID `json:"id" arg:"ID" doc:"id of a run"`
	Step *int         `json:"step" doc:"number of the step, from 0"`
}

// Shown is a run as it is listed, step by step.
type Shown struct {
	Steps []ShownStep

	gist, total string
	technical   bool
}

// Array returns the steps.
func (s Shown) Array() any { return s.Steps }

// A ShownStep is a moment of a run, or a step that is at work.
type ShownStep struct {
	Step   int      `json:"step"`
	Said   []string `json:"said,omitempty"`   // what its nodes did, in plain words
	Within []string `json:"within,omitempty"` // subgraphs around the nodes
	Nodes  []string `json:"nodes,omitempty"`  // that ran before it
	Millis int64    `json:"ms"`
	Tokens int      `json:"tokens,omitempty"`
	Cost   string   `json:"cost,omitempty"`
	Writes []string `json:"writes,omitempty"` // fields of the state
	Judged []Judged `json:"judged,omitempty"`

	Pages []string `json:"pages,omitempty"` // web pages that were read, and the outcome

	Unfinished bool     `json:"unfinished,omitempty"` // it is at work, and gets this number if it ends next
	Working    []string `json:"working,omitempty"`    // sends at work, and what they are waiting for
}

// Judged is a passage with its grade, and the sentence that it rests on if no model gave it.
type Judged struct {
	Document string  `json:"document"`
	Said     string  `json:"said"`
	Nearness float64 `json:"nearness,omitempty"`
	Sentence string  `json:"sentence,omitempty"`
	Reason   string  `json:"reason"`
}

// A ShownField is a field of a state.
type ShownField struct {
	Field   string          `json:"field"`
	Before  json.RawMessage `json:"before,omitempty"` // absent at the start
	After   json.RawMessage `json:"after"`
	changed bool
}

// Operations returns the operations that look at runs of any kind.
func Operations() []operation.Operation[*Runs] {
	return []operation.Operation[*Runs]{
		operation.Op[*Runs, showIn, Shown]{
			Name: "run show", Short: "List the steps of a run", Scope: operation.Read, Routes: []string{"GET /runs/{id}"}, Example: "  clew run show j0123456789abcdef0123",
			Long: `Say how a run went, and list its steps, numbered as on its page: in plain words,
or with --technical by the names of its graph, with tokens and what each step wrote.
clew run state shows the state after one of them. Below the steps of a run that is at
work stands what has begun, the slowest sends, and what they wait for.`,
			Do: (*Runs).show, Text: func(w io.Writer, s Shown) error { return s.print(w) },
		},
		operation.Op[*Runs, stateIn, []ShownField]{
			Name: "run state", Short: "Print the state of a run after one of its steps", Scope: operation.Read, Routes: []string{"GET /runs/{id}/state"}, Example: "  clew run state j0123456789abcdef0123 --step 4",
			Long: `Print the state of a run after one of its steps: each field, and with a
star those that the step changed. Step 0 is the start; without --step it is the
last state.`,
			JSON: " of the fields, each before and after the step",
			Do:   (*Runs).state, Text: printFields,
		},
		operation.Op[*Runs, AnalysisWanted, Analysis]{
			Name: "usage runs", Short: "Summarise how runs went and how long they took", Scope: operation.Admin, Routes: []string{"GET /usage/runs"},
			Long: `Summarise the runs of some days: how many there were, failed, or were answered without
a source, how often questions were reworded, the median and the 95th percentile of the
time taken, tokens and cost. By node, it is how often each node of a graph ended and
how long that took.`,
			Example: `  clew usage runs
  clew usage runs --by method --from 2026-11-01
  clew usage runs --by day --json`,
			Do: (*Runs).Analyse, Text: func(w io.Writer, a Analysis) error { return a.print(w) },
		},
	}
}

func (p *Runs) state(ctx context.Context, in stateIn) ([]ShownField, error) {
	l, err := p.Read(ctx, domain.WorkspaceOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	n := len(l.Moments) - 1
	if in.Step != nil {
		n = *in.Step
	}
	m, err := l.at(n)
	if err != nil {
		return nil, err
	}
	fields, err := l.Kind.Fields(ctx, l.ID, m)
	list := make([]ShownField, len(fields))
	for i, f := range fields {
		list[i] = ShownField{f.Name, f.Before, f.After, f.Changed()}
	}
	return list, err
}

func printFields(w io.Writer, fields []ShownField) error {
	for _, f := range fields {
		star := " "
		if f.changed {
			star = "*"
		}
		if _, err := fmt.Fprintf(w, "%s %s  %s\n", star, f.Field, f.After); err != nil {
			return err
		}
	}
	return nil
}

func (p *Runs) show(ctx context.Context, in showIn) (Shown, error) {
	l, err := p.Read(ctx, domain.WorkspaceOf(ctx), in.ID)
	if err != nil {
		return Shown{}, err
	}
	if _, err := l.at(0); err != nil && (l.View.Withheld || l.Status.Ended()) { // it has no steps before it begins
		return Shown{}, err
	}
	s := Shown{technical: in.Technical, gist: Gist(l.View), total: Waits(l.Run)}
	if len(l.Moments) == 0 {
		s.gist = "It has not begun."
	}
	if total := p.Total(ctx, l.View); total != "" {
		s.total = strings.TrimSpace(s.total + "\n" + total)
	}
	for _, group := range l.groups() {
		step := l.shown(group)
		if step.Tokens > 0 {
			used := lists.Flat(group, func(one *trace.Step) []domain.Usage { return one.Usages })
			if amount, known := p.amount(ctx, l.View, used); known {
				step.Cost = amount.Short()
			}
		}
		for _, one := range group {
			if step.Judged, err = p.judged(ctx, l.Workspace, step.Judged, one.Grades); err != nil {
				return Shown{}, err
			}
			if one.Node == answer.NodeReadPage {
				step.Pages = append(step.Pages, slices.Sorted(slices.Values(one.Notes))...)
			}
		}
		s.Steps = append(s.Steps, step)
	}
	return s, nil
}

// Total describes what a run used and cost, or "" if it asked no model.
func (p *Runs) Total(ctx context.Context, v *trace.View) string {
	amount, known := p.amount(ctx, v, v.Usages())
	if !known || v.Tokens() == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s", format.Count(v.Tokens(), "token", "tokens"), amount)
}

// groups returns the steps that ended before each moment, none for the first, and each that is in progress.
func (l Log) groups() (groups [][]*trace.Step) {
	for _, m := range l.Moments {
		groups = append(groups, lists.Map(m.Rows, func(row int) *trace.Step { return l.View.Steps[row-1] }))
	}
	for _, s := range l.View.Steps {
		if s.State == trace.Working {
			groups = append(groups, []*trace.Step{s})
		}
	}
	return groups
}

// shown returns the line of the steps that ended before a moment, or of one that is at work.
func (l Log) shown(group []*trace.Step) ShownStep {
	var step ShownStep
	for _, s := range group {
		step.Within, step.Nodes = s.Path, append(step.Nodes, s.Node)
		step.Said = append(step.Said, Said(l.View, s, l.Loop))
		step.Tokens += s.Tokens()
		if s.State == trace.Working {
			step.Step, step.Unfinished, step.Working = len(l.Moments), true, Working(s)
			return step
		}
		step.Step, step.Millis = l.MomentOf(s.N), max(step.Millis, s.Took.Milliseconds())
		step.Writes = append(step.Writes, s.Writes...)
	}
	return step
}

// judged adds grades to a list, the passages that are near or relevant first.
func (p *Runs) judged(ctx context.Context, w domain.WorkspaceID, list []Judged, grades []domain.Grading) ([]Judged, error) {
	sentences, err := nearestSentences(ctx, p.Ledger, w, grades)
	if err != nil {
		return nil, err
	}
	for _, relevant := range []bool{true, false} {
		for _, g := range grades {
			if (g.Verdict == domain.Relevant) != relevant {
				continue
			}
			j := Judged{Document: g.Where(), Said: g.Said(), Sentence: sentences[g.Chunk], Reason: g.Reason}
			if g.Nearest != nil {
				j.Nearness = g.Nearest.Score
			}
			list = append(list, j)
		}
	}
	return list, nil
}

// longestLine is how much of a passage is printed, in code points.
const longestLine = 400

// print prints how a run went, its steps, the work in progress, and the total cost.
func (s Shown) print(w io.Writer) error {
	if s.gist != "" && !s.technical {
		fmt.Fprintln(w, s.gist)
	}
	ended := slices.DeleteFunc(slices.Clone(s.Steps), func(x ShownStep) bool { return x.Unfinished })
	head := ""
	if s.technical {
		head = "STEP\tNODES\tMS\tTOKENS\tCOST\tWRITES"
	}
	err := operation.Columns(w, head, func(line func(...any)) {
		for _, x := range ended {
			if s.technical {
				line(x.Step, x.named(), x.Millis, x.Tokens, x.Cost, strings.Join(x.Writes, ", "))
				continue
			}
			line(x.Step, x.says(), format.Duration(time.Duration(x.Millis)*time.Millisecond))
			for _, j := range x.Judged {
				line("", "  "+j.Said+": "+domain.Cut(j.Document+": "+cmp.Or(j.Sentence, j.Reason), longestLine), "")
			}
			for _, page := range x.Pages {
				line("", "  "+page, "")
			}
		}
	})
	if err != nil {
		return err
	}
	for _, x := range s.Steps[len(ended):] {
		name := x.says()
		if s.technical {
			name = x.named()
		}
		fmt.Fprintln(w, "At work:", name)
		for _, said := range x.Working {
			fmt.Fprintln(w, "  "+said)
		}
	}
	if s.total != "" {
		_, err = fmt.Fprintln(w, s.total)
	}
	return err
}

func (s ShownStep) named() string {
	return strings.Join(append(slices.Clip(s.Within), strings.Join(s.Nodes, ", ")), "/")
}

// says describes in plain words what a step did.
func (s ShownStep) says() string {
	if len(s.Said) == 0 {
		return "Start"
	}
	return strings.Join(s.Said, ", ")
}
