package summarize

import (
	"cmp"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The names of the graph and of its nodes.
const (
	Name = "summarize"

	NodePre      = "pre_process"
	NodeMap      = "generate_summary"
	NodeCollect  = "collect_summaries"
	NodeCollapse = "collapse_summaries"
	NodeFinal    = "generate_final_summary"
)

// The cases of the branches.
const (
	casePart    = "each part"
	caseTooLong = "too long"
	caseFits    = "fits"
)

// Params configure the graph. All are required but Retry, AtOnce, Threads and
// Codec.
type Params struct {
	Texts      Texts
	Counter    Counter
	Summariser Summariser
	AtOnce     int // groups collapsed at the same time; 0 means 1
	Retry      Retry
	Threads    stategraph.Checkpointer // stores runs; nil means that they are not stored and cannot stop for a review
	Codec      state.Codec             // of stored runs; nil means encoding/json
}

// Retry configures the attempts at a part if the model fails temporarily.
type Retry struct {
	Attempts int           // default 3
	Backoff  time.Duration // before the second attempt, then doubled; default 1 s
}

func (p Params) check() error {
	switch {
	case p.Texts == nil:
		return errors.New("summarize graph: Texts is missing")
	case p.Counter == nil:
		return errors.New("summarize graph: Counter is missing")
	case p.Summariser == nil:
		return errors.New("summarize graph: Summariser is missing")
	}
	return nil
}

type nodes struct {
	Params
	fields
	part   stategraph.Target[State, partTask]
	pauses costs.Pauses
}

// Graph builds the graph. The error names a missing parameter.
func Graph(p Params) (*stategraph.Graph[State], error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return compile(p)
}

// Shape builds the graph without parameters, for drawing.
func Shape() (*stategraph.Graph[State], error) { return compile(Params{}) }

func compile(p Params) (*stategraph.Graph[State], error) {
	p.AtOnce = max(1, p.AtOnce)
	n := &nodes{Params: p, fields: newFields()}
	reads, writes := stategraph.Reads, stategraph.Writes
	final := []stategraph.NodeOption{
		reads(n.contents, n.collapsed, n.rounds, n.warnings), writes(n.finalText, n.condensed, n.sentences, n.citations, n.warnings),
	}
	if p.Threads != nil {
		final = append(final, stategraph.MayInterrupt())
	}
	b := stategraph.New(Name, n.schema)
	b.Node(NodePre, n.preProcess, reads(), writes(n.read, n.contents, n.warnings))
	n.part = stategraph.Task(b, NodeMap, n.summarise, writes(n.summaries), stategraph.WithRetry(p.Retry.policy()))
	b.Node(NodeCollect, n.collect, reads(n.contents, n.summaries), writes(n.collapsed, n.warnings))
	b.Node(NodeCollapse, n.collapse, reads(n.collapsed, n.rounds), writes(n.collapsed, n.rounds, n.warnings))
	b.Node(NodeFinal, n.finish, final...)

	b.Edge(stategraph.Start, NodePre)
	b.Branch(NodePre, "fan_out", n.fanOut, stategraph.Case{Label: casePart, Target: NodeMap}, stategraph.Otherwise(stategraph.End))
	b.Edge(NodeMap, NodeCollect)
	cases := []stategraph.Case{{Label: caseTooLong, Target: NodeCollapse}, {Label: caseFits, Target: NodeFinal}}
	b.Branch(NodeCollect, "should_collapse", n.shouldCollapse, cases...)
	b.Branch(NodeCollapse, "should_collapse_again", n.shouldCollapse, cases...)
	b.Edge(NodeFinal, stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec))
}

func (r Retry) policy() stategraph.Retry {
	return stategraph.Retry{Attempts: cmp.Or(r.Attempts, 3), Backoff: cmp.Or(r.Backoff, time.Second), On: domain.Temporary, After: domain.RetryAfter}
}
