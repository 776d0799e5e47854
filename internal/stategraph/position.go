package stategraph

import (
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// position is a run between two super-steps: the state and all else needed to
// continue from it.
type position[S any] struct {
	merger       *state.Merger[S] // nil if nothing is known yet
	step         int              // the last one done
	ran          []int            // nodes of that step, whose exits are still to be taken
	arrived      [][]int          // by join: the nodes that arrived at it
	snapshotSize int              // of the last snapshot on the thread, in bytes
	updateSize   int              // of the updates since
}

// take merges the updates of a step. It returns a ConflictError if two of them
// write a field that takes one write.
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
		p.updateSize += tasks[i].size
		if tasks[i].index == 0 {
			p.ran = append(p.ran, tasks[i].node.index)
		}
	}
	return nil
}

// storedJoin is a waiting join and the nodes that arrived at it.
type storedJoin struct {
	To      string   `json:"to"`
	From    []string `json:"from"`
	Arrived []string `json:"arrived"`
}

func (g *Graph[S]) storeJoins(arrived [][]int) (all []storedJoin) {
	for i, here := range arrived {
		if j := g.joins[i]; len(here) > 0 {
			all = append(all, storedJoin{To: g.nodes[j.to].name, From: g.names(j.from), Arrived: g.names(here)})
		}
	}
	return all
}

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
			arrived[i] = append(arrived[i], g.index[name])
		}
	}
	return arrived, nil
}

func (g *Graph[S]) names(nodes []int) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = g.nodes[n].name
	}
	return names
}
