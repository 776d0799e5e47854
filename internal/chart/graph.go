// Package chart is the graph that makes a chart: from a task and the passages
// found for a question to a specification in which every number has a source.
//
//	start → collect ┬ numbers → specify ┬ answered → validate ┬ ok        → settle → end
//	                │              ↑    │                     ├ once more ┐
//	                │              └────┼─────────────────────┼───────────┘
//	                └ none → settle     └ no answer → settle  └ failed    → settle
//
// A [Specifier] writes the specification: a model here, or rules over counts elsewhere. It is not
// trusted: [Validate] looks every number up in the passage named for it, or in the counts of the
// graph, and cites the sentence that contains it. A specification with mistakes is requested once
// more, with the mistakes listed. After that, without numbers or without an answer in time, the graph
// ends with a sentence that says why there is no chart. That is a result, not an error: the answer
// continues without one.
package chart

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The names of the graph and of its nodes.
const (
	Name = "chart"

	NodeCollect  = "collect"
	NodeSpecify  = "specify"
	NodeValidate = "validate"
	NodeSettle   = "settle"
)

// The cases of the branches.
const (
	caseNumbers  = "numbers"
	caseNone     = "none"
	caseAnswered = "answered"
	caseSilent   = "no answer"
	caseOK       = "ok"
	caseAgain    = "once more"
	caseFailed   = "failed"
)

// DefaultTimeout bounds each attempt at a specification.
const DefaultTimeout = 90 * time.Second

const maxAttempts = 2

// Params configure the graph. All are required but Counts, Timeout and Codec.
type Params struct {
	Passages  Passages
	Specifier Specifier
	Counts    Counts        // if nil, counts of the graph are not charted
	Timeout   time.Duration // of an attempt; 0 means DefaultTimeout
	Codec     state.Codec   // of stored runs; nil means encoding/json
}

type nodes struct {
	Params
	fields
}

// Graph builds the graph. The error names a missing parameter.
func Graph(p Params) (*stategraph.Graph[State], error) {
	switch {
	case p.Passages == nil:
		return nil, errors.New("chart graph: Passages is missing")
	case p.Specifier == nil:
		return nil, errors.New("chart graph: Specifier is missing")
	}
	return compile(p)
}

// Shape builds the graph without parameters, for drawing.
func Shape() (*stategraph.Graph[State], error) { return compile(Params{}) }

func compile(p Params) (*stategraph.Graph[State], error) {
	if p.Timeout <= 0 {
		p.Timeout = DefaultTimeout
	}
	n := &nodes{Params: p, fields: newFields()}
	b := stategraph.New(Name, n.schema)
	reads, writes := stategraph.Reads, stategraph.Writes
	b.Node(NodeCollect, n.collect, reads(n.figure), writes(n.counts, n.problem))
	b.Node(NodeSpecify, n.specify, reads(n.figure, n.counts, n.specification, n.mistakes), writes(n.specification, n.mistakes, n.attempts, n.problem))
	b.Node(NodeValidate, n.validate, reads(n.counts, n.specification, n.mistakes, n.attempts), writes(n.mistakes, n.chart, n.problem))
	b.Node(NodeSettle, n.settle, reads(n.figure, n.chart, n.problem), writes(n.figure))

	b.Edge(stategraph.Start, NodeCollect)
	b.Branch(NodeCollect, "any_numbers", n.unlessProblem(caseNumbers, caseNone),
		stategraph.Case{Label: caseNumbers, Target: NodeSpecify}, stategraph.Case{Label: caseNone, Target: NodeSettle})
	b.Branch(NodeSpecify, "any_answer", n.unlessProblem(caseAnswered, caseSilent),
		stategraph.Case{Label: caseAnswered, Target: NodeValidate}, stategraph.Case{Label: caseSilent, Target: NodeSettle})
	b.Branch(NodeValidate, "valid", n.verdict,
		stategraph.Case{Label: caseOK, Target: NodeSettle},
		stategraph.Case{Label: caseAgain, Target: NodeSpecify},
		stategraph.Case{Label: caseFailed, Target: NodeSettle})
	b.Edge(NodeSettle, stategraph.End)
	return b.Compile(stategraph.WithCodec(p.Codec))
}

// unlessProblem chooses the case ok unless the state has a problem.
func (n *nodes) unlessProblem(ok, problem string) func(*stategraph.Context, State) (stategraph.Route[State], error) {
	return func(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
		if s.Problem != "" {
			return stategraph.Choose[State](problem), nil
		}
		return stategraph.Choose[State](ok), nil
	}
}

func (n *nodes) verdict(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	switch {
	case s.Chart != nil:
		return stategraph.Choose[State](caseOK), nil
	case s.Problem != "":
		return stategraph.Choose[State](caseFailed), nil
	}
	return stategraph.Choose[State](caseAgain), nil
}

// State is the state of a chart run. A run begins with the fields before Counts.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`    // forces new model calls
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book
	Question  string             `json:"question"`
	Figure    domain.Figure      `json:"figure"`   // with its id, task and paragraph; pending until the graph settles it
	Evidence  []domain.ChunkID   `json:"evidence"` // passages, in the order of their numbers

	Counts        []GraphCount   `json:"counts"`
	Specification *Specification `json:"specification,omitempty"` // the last one
	Mistakes      []string       `json:"mistakes"`                // in the last one
	Attempts      int            `json:"attempts"`
	Chart         *domain.Chart  `json:"chart,omitempty"`
	Problem       string         `json:"problem,omitempty"` // a sentence saying why there is no chart
}

type fields struct {
	counts        state.ReplaceField[State, []GraphCount]
	specification state.ReplaceField[State, *Specification]
	mistakes      state.ReplaceField[State, []string]
	attempts      state.SumField[State, int]
	chart         state.ReplaceField[State, *domain.Chart]
	problem       state.ReplaceField[State, string]
	figure        state.ReplaceField[State, domain.Figure]
	schema        *state.Schema[State]
}

// schemaVersion changes with the meaning of a field.
const schemaVersion = 1

func newFields() fields {
	sc := state.NewSchema[State](schemaVersion)
	return fields{
		counts:        state.Replace(sc, "counts", func(s *State) *[]GraphCount { return &s.Counts }),
		specification: state.Replace(sc, "specification", func(s *State) **Specification { return &s.Specification }),
		mistakes:      state.Replace(sc, "mistakes", func(s *State) *[]string { return &s.Mistakes }),
		attempts:      state.Sum(sc, "attempts", func(s *State) *int { return &s.Attempts }),
		chart:         state.Replace(sc, "chart", func(s *State) **domain.Chart { return &s.Chart }),
		problem:       state.Replace(sc, "problem", func(s *State) *string { return &s.Problem }),
		figure:        state.Replace(sc, "figure", func(s *State) *domain.Figure { return &s.Figure }),
		schema:        sc,
	}
}

// Passages reads passages in the order of ids. Ids that no longer exist are
// left out.
type Passages interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Counts counts what a task asks for in the graph, in the order in which it is
// to be drawn. Other tasks yield no counts.
type Counts interface {
	Counts(ctx context.Context, w domain.WorkspaceID, task string) ([]GraphCount, error)
}

// Emit reports an event to the trace. The kinds and payloads are in domain.
type Emit func(kind string, payload any)

// Specifier writes chart specifications.
type Specifier interface {
	// Specify turns a task into a specification over the evidence. An answer
	// that can't be parsed is an *UnreadableError; it is retried like one with
	// mistakes.
	Specify(ctx context.Context, r Request, emit Emit) (Specification, error)
}

// Request is a chart to specify.
type Request struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID
	Salt      string
	Prompts   int    // pin of the prompt's text, see prompts.Book
	Question  string // that the chart helps to answer
	Task      string // what to show
	Evidence  Evidence
	Before    *Specification // the last attempt; nil on the first
	Mistakes  []string       // of the last attempt
}

// UnreadableError reports an answer that is not a specification.
type UnreadableError struct{ Why string }

// Error returns the reason why the answer could not be read.
func (e *UnreadableError) Error() string { return e.Why }

type update = state.Update[State]

// collect counts what the task asks for and checks that there are numbers to
// draw.
func (n *nodes) collect(ctx *stategraph.Context, s State) (update, error) {
	counts := []GraphCount{}
	if n.Counts != nil {
		found, err := n.Counts.Counts(ctx, s.Workspace, s.Figure.Task)
		if domain.KindOf(err) == domain.TooLarge {
			return n.problem.Set(domain.InWords(err)), nil
		}
		if err != nil && domain.KindOf(err) != domain.Unavailable { // the passages may suffice
			return update{}, err
		}
		counts = append(counts, found...)
	}
	s.Counts = counts
	e, err := n.evidence(ctx, s)
	if err != nil {
		return update{}, err
	}
	amounts := e.amounts()
	if amounts == 0 && len(e.Counts) == 0 {
		return n.problem.Set("The sources of this answer contain no numbers that a chart could show."), nil
	}
	note := domain.Counted(amounts, "number", "numbers") + " in " + domain.Counted(len(e.Passages), "passage", "passages")
	if len(e.Counts) > 0 {
		note += ", " + domain.Counted(len(e.Counts), "count", "counts") + " of the graph"
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: note})
	return n.counts.Set(counts), nil
}

// evidence reads the passages at each node, because the state holds no text of
// sources.
func (n *nodes) evidence(ctx context.Context, s State) (Evidence, error) {
	e := Evidence{Counts: s.Counts}
	if len(s.Evidence) == 0 {
		return e, nil
	}
	var err error
	e.Passages, err = n.Passages.Passages(ctx, s.Workspace, s.Evidence)
	return e, err
}

// specify requests a specification. A failure or a timeout is a problem of the
// chart, not an error of the run; an unreadable answer counts as a mistake.
func (n *nodes) specify(ctx *stategraph.Context, s State) (update, error) {
	e, err := n.evidence(ctx, s)
	if err != nil {
		return update{}, err
	}
	timed, cancel := context.WithTimeout(ctx, n.Timeout)
	defer cancel()
	spec, err := n.Specifier.Specify(timed, Request{
		Workspace: s.Workspace, Run: s.Run, Salt: s.Salt, Prompts: s.Prompts, Question: s.Question, Task: s.Figure.Task, Evidence: e, Before: s.Specification, Mistakes: s.Mistakes,
	}, ctx.Emit)
	var unreadable *UnreadableError
	switch {
	case err == nil:
		return state.Merge(n.specification.Set(&spec), n.mistakes.Set([]string{}), n.attempts.Add(1)), nil
	case ctx.Err() != nil:
		return update{}, err
	case errors.As(err, &unreadable):
		return state.Merge(n.specification.Set(nil), n.mistakes.Set([]string{strings.ToUpper(unreadable.Why[:1]) + unreadable.Why[1:] + "."}), n.attempts.Add(1)), nil
	case timed.Err() != nil:
		return n.problem.Set(fmt.Sprintf("The chart was not ready within %s.", inWords(n.Timeout))), nil
	}
	return n.problem.Set("The chart could not be made: " + domain.InWords(err)), nil
}

func inWords(d time.Duration) string {
	if d >= time.Second && d%time.Second == 0 {
		return domain.Counted(int(d/time.Second), "second", "seconds")
	}
	return d.String()
}

// validate builds the chart or records the mistakes.
func (n *nodes) validate(ctx *stategraph.Context, s State) (update, error) {
	mistakes := s.Mistakes
	if s.Specification != nil {
		e, err := n.evidence(ctx, s)
		if err != nil {
			return update{}, err
		}
		var c domain.Chart
		if c, mistakes = Validate(*s.Specification, e); len(mistakes) == 0 {
			ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(points(c), "point", "points") + ", each with its source"})
			return n.chart.Set(&c), nil
		}
	}
	for _, m := range mistakes {
		ctx.Emit(domain.EventNote, domain.Note{Text: m})
	}
	if s.Attempts < maxAttempts {
		return n.mistakes.Set(mistakes), nil
	}
	return state.Merge(n.mistakes.Set(mistakes), n.problem.Set("No chart could be drawn whose numbers all stand in the sources. "+mistakes[0])), nil
}

func points(c domain.Chart) int {
	return lists.Sum(c.Series, func(s domain.Series) int { return len(s.Points) })
}

// settle sets the outcome of the figure.
func (n *nodes) settle(ctx *stategraph.Context, s State) (update, error) {
	f := s.Figure
	f.Status, f.Chart = domain.FigureDone, s.Chart
	if s.Chart == nil {
		f.Status, f.Problem = domain.FigureFailed, s.Problem
	}
	ctx.Emit(domain.EventFigure, f)
	return n.figure.Set(f), nil
}
