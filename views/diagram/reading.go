package diagram

import (
	"fmt"

	"github.com/clewhq/clew/views/format"
)

// reading is what a run did, by the indices of a shape.
type reading struct {
	visits []Visit
	walked []int
}

// read looks visits and walks up. A branch that was left has been seen, and
// so have the plain edges into it, whether or not the run says so.
func read(s *shape, visits []Visit, walked []Walk) reading {
	r := reading{make([]Visit, len(s.nodes)), make([]int, len(s.edges))}
	for _, v := range visits {
		if n, ok := s.index[v.Node]; ok {
			r.visits[n] = v
		}
	}
	for e, edge := range s.edges {
		for _, w := range walked {
			if w.From == edge.From && w.To == edge.To && w.Label == edge.Label {
				r.walked[e] += w.Times
			}
		}
	}
	for n, node := range s.nodes {
		if node.Kind == Branch {
			r.passBranch(s, n)
		}
	}
	return r
}

func (r reading) passBranch(s *shape, n int) {
	left := 0
	for _, e := range s.out[n] {
		left = max(left, r.walked[e])
	}
	if s.distinct(n) {
		left = r.sum(s.out[n])
	}
	if left == 0 {
		return
	}
	if r.visits[n].State.Or() == Waiting {
		r.visits[n].State, r.visits[n].Times = Seen, left
	}
	for _, e := range s.in[n] {
		if r.walked[e] == 0 {
			r.walked[e] = left
		}
	}
}

// distinct reports whether a branch takes one way at a time: it sends nothing.
func (s *shape) distinct(n int) bool {
	for _, e := range s.out[n] {
		if s.edges[e].Send {
			return false
		}
	}
	return true
}

func (r reading) sum(edges []int) int {
	total := 0
	for _, e := range edges {
		total += r.walked[e]
	}
	return total
}

// figure is what stands at the end of a node's row: its note, else how often
// and how long.
func (r reading) figure(n int) string {
	v := r.visits[n]
	took := ""
	if v.Took > 0 {
		took = format.Duration(v.Took)
	}
	switch {
	case v.Note != "":
		return v.Note
	case v.Times > 1 && took != "":
		return fmt.Sprintf("%d×, %s", v.Times, took)
	case v.Times > 1:
		return fmt.Sprintf("%d×", v.Times)
	}
	return took
}
