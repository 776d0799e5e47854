package stategraph

import (
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// position is where a run stands between two super-steps: the state, and all
// that there is to know to go on from it.
type position[S any] struct {
	merger  *state.Merger[S] // nil: nothing is known
	step    int              // the last
	ran     []int            // in that step, by node; they are yet to be left
	arrived [][]int          // nodes that arrived, by join
	whole   int              // size of the last snapshot on the thread
	deltas  int              // and of the updates since
}

// take merges the updates of the tasks of a step. It is a ConflictError when two
// of them write a field that takes one.
func (p *position[S]) take(tasks []task[S], step int) error {
	var writers state.Writers[S]
	for i := range tasks {
		if len(tasks) > 1 {
			if field, first, conflict := writers.Add(tasks[i].update, i); conflict {
				return &ConflictError{Field: field, Step: step, First: tasks[first].node.name, Second: tasks[i].node.name}
			}
		}
		if err := p.merger.Merge(tasks[i].update); err != nil {
			return err
		}
	}
	p.ran = p.ran[:0]
	for i := range tasks {
		p.deltas += tasks[i].size
		if tasks[i].index == 0 {
			p.ran = append(p.ran, tasks[i].node.index)
		}
	}
	return nil
}

// storedJoin is a join that waits, and who has arrived at it.
type storedJoin struct {
	To      string   `json:"to"`
	From    []string `json:"from"`
	Arrived []string `json:"arrived"`
}

// storeJoins names those who arrived at joins that still wait.
func (g *Graph[S]) storeJoins(arrived [][]int) (all []storedJoin) {
	for i, here := range arrived {
		if j := g.joins[i]; len(here) > 0 {
			all = append(all, storedJoin{To: g.nodes[j.to].name, From: g.names(j.from), Arrived: g.names(here)})
		}
	}
	return all
}

// loadJoins is the reverse of storeJoins.
func (g *Graph[S]) loadJoins(stored []storedJoin) ([][]int, error) {
	arrived := make([][]int, len(g.joins))
	for _, s := range stored {
		i := slices.IndexFunc(g.joins, func(j compiledJoin) bool {
			return g.nodes[j.to].name == s.To && slices.Equal(g.names(j.from), s.From)
		})
		if i < 0 {
			return nil, fmt.Errorf("the thread waits at a join of %q into %q, which the graph does not have", s.From, s.To)
		}
		for _, name := range s.Arrived {
			arrived[i] = append(arrived[i], g.places[name])
		}
	}
	return arrived, nil
}

// names are those of nodes.
func (g *Graph[S]) names(nodes []int) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = g.nodes[n].name
	}
	return names
}
