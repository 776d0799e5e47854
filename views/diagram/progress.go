package diagram

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/format"
)

// progress holds the progress of a run, by the indices of a graph.
type progress struct {
	visits []Visit
	walked []int
}

// readProgress looks up visits and walks. A branch that was left counts as
// seen, and so do the plain edges into it, even if the run doesn't record that.
func readProgress(g *graph, visits []Visit, walked []Walk) progress {
	r := progress{make([]Visit, len(g.nodes)), make([]int, len(g.edges))}
	for _, v := range visits {
		if n, ok := g.index[v.Node]; ok {
			r.visits[n] = v
		}
	}
	for e, edge := range g.edges {
		for _, w := range walked {
			if w.From == edge.From && w.To == edge.To && w.Label == edge.Label {
				r.walked[e] += w.Times
			}
		}
	}
	for n, node := range g.nodes {
		if node.Kind == Branch {
			r.inferBranch(g, n)
		}
	}
	return r
}

func (r progress) inferBranch(g *graph, n int) {
	left := 0
	for _, e := range g.out[n] {
		left = max(left, r.walked[e])
	}
	if g.exclusive(n) {
		left = r.sum(g.out[n])
	}
	if left == 0 {
		return
	}
	if r.visits[n].State.Or() == Waiting {
		r.visits[n].State, r.visits[n].Times = Seen, left
	}
	for _, e := range g.in[n] {
		if r.walked[e] == 0 {
			r.walked[e] = left
		}
	}
}

// exclusive reports whether a branch takes one edge at a time, without sends.
func (g *graph) exclusive(n int) bool {
	return !slices.ContainsFunc(g.out[n], func(e int) bool { return g.edges[e].Send })
}

func (r progress) sum(edges []int) int {
	return lists.Sum(edges, func(e int) int { return r.walked[e] })
}

// name returns the text beside a node: its name, or plain words for the state of its work.
func (r progress) name(g *graph, n int) string {
	if v := r.visits[n]; g.plain {
		return cmp.Or(v.Said, Plain(g.called, g.nodes[n].Name).In(v.State))
	}
	return g.nodes[n].title()
}

// figure returns the text at the end of a node's row: its note, else how often
// it ran, or how long.
func (r progress) figure(n int) string {
	switch v := r.visits[n]; {
	case v.Note != "":
		return v.Note
	case v.Times > 1:
		return fmt.Sprintf("%d times", v.Times)
	case v.Took > 0:
		return format.Duration(v.Took)
	}
	return ""
}
