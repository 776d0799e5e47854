package partial

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/worddiff"
)

// ReplayProps show how the replay of a run did.
type ReplayProps struct {
	Run     domain.RunID // that was replayed
	Replay  domain.RunID // its own
	At      time.Time
	Working bool
	Stopped bool // by a person
	Nodes   []ReplayedNode
}

// A ReplayedNode is one node's work in the replay.
type ReplayedNode struct {
	Name   string
	Row    int    // of the step in the run; 0 if only the replay has it
	Says   string // how its result differs; "" if it is the same
	Path   string // of the first difference in its update; "" if there is none
	Before outline.Value
	After  outline.Value
}

// differing counts the nodes that did something else.
func (p ReplayProps) differing() int {
	return lists.CountFunc(p.Nodes, func(node ReplayedNode) bool { return node.Says != "" })
}

func (p ReplayProps) verdict(ctx context.Context) string {
	switch n := p.differing(); {
	case p.Stopped:
		return lang.T(ctx, "The replay was stopped.")
	case n > 0:
		return lang.F(ctx, "%d of %s did something else.", n, lang.Count(ctx, len(p.Nodes), "node", "nodes"))
	}
	return lang.F(ctx, "All %s did the same.", lang.Count(ctx, len(p.Nodes), "node", "nodes"))
}

func (n ReplayedNode) class() string {
	if n.Says != "" {
		return "differs"
	}
	return "same"
}

// url returns the address of the run's step.
func (p ReplayProps) url(n ReplayedNode) string { return link.RunRow(p.Run, n.Row) }

// words returns the difference of two texts, and whether it is one.
func (n ReplayedNode) words() ([]worddiff.Part, bool) {
	before, after := n.Before, n.After
	if before.Quiet || after.Quiet || !before.Leaf() || !after.Leaf() {
		return nil, false
	}
	return worddiff.Words(before.Text, after.Text), true
}
