package chart

import (
	"errors"
	"time"

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
	Counts    Counts        // nil: counts of the graph are not charted
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
