package diagram

import "slices"

// shape is what a topology looks like before anything has a place: which nodes
// lead on towards the end, which only lead back, and the line that the eye
// should follow.
type shape struct {
	nodes []Node
	edges []Edge
	index map[string]int
	out   [][]int // edges by node, in declared order
	in    [][]int
	back  []bool // edges that close a loop
	ahead []bool // nodes from which the end can be reached without a loop
	spine []int  // nodes from start to end, the longest way
	rows  []int  // ahead nodes in the order of their rows
	turns []loop

	strays []int // nodes that stand neither on the way to the end nor on a loop's
}

// loop is a way back: from a node over nodes that do nothing but lead back to
// an earlier one. edges has one more element than via.
type loop struct {
	from, to int
	via      []int
	edges    []int
}

// analyse finds the shape of a topology. Edges that name unknown nodes are
// left out.
func analyse(t Topology) *shape {
	s := &shape{nodes: t.Nodes, index: map[string]int{}}
	for i, n := range t.Nodes {
		s.index[n.Name] = i
	}
	s.out, s.in = make([][]int, len(s.nodes)), make([][]int, len(s.nodes))
	for _, e := range t.Edges {
		from, okFrom := s.index[e.From]
		to, okTo := s.index[e.To]
		if !okFrom || !okTo {
			continue
		}
		i := len(s.edges)
		s.edges = append(s.edges, e)
		s.out[from], s.in[to] = append(s.out[from], i), append(s.in[to], i)
	}
	s.findBack()
	s.findAhead()
	s.findSpine()
	s.findRows()
	s.findLoops()
	return s
}

func (s *shape) from(e int) int { return s.index[s.edges[e].From] }
func (s *shape) to(e int) int   { return s.index[s.edges[e].To] }

// ofKind lists the nodes of a kind.
func (s *shape) ofKind(kind string) []int {
	var found []int
	for i, n := range s.nodes {
		if n.Kind == kind {
			found = append(found, i)
		}
	}
	return found
}

// findBack marks the edges to a node that is still being explored, depth
// first from the start.
func (s *shape) findBack() {
	s.back = make([]bool, len(s.edges))
	const open, closed = 1, 2
	state := make([]int, len(s.nodes))
	var explore func(n int)
	explore = func(n int) {
		state[n] = open
		for _, e := range s.out[n] {
			switch state[s.to(e)] {
			case open:
				s.back[e] = true
			case 0:
				explore(s.to(e))
			}
		}
		state[n] = closed
	}
	for _, n := range s.ofKind(Start) {
		explore(n)
	}
	for n := range s.nodes {
		if state[n] == 0 {
			explore(n)
		}
	}
}

// findAhead walks back from the end over edges that close no loop.
func (s *shape) findAhead() {
	s.ahead = make([]bool, len(s.nodes))
	queue := s.ofKind(End)
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if s.ahead[n] {
			continue
		}
		s.ahead[n] = true
		for _, e := range s.in[n] {
			if !s.back[e] {
				queue = append(queue, s.from(e))
			}
		}
	}
}

// forward lists the edges out of n that lead on.
func (s *shape) forward(n int) []int {
	return slices.DeleteFunc(slices.Clone(s.out[n]), func(e int) bool { return s.back[e] || !s.ahead[s.to(e)] })
}

// findSpine takes the longest way from start to end; of ways of equal length
// the one declared first.
func (s *shape) findSpine() {
	length, next := make([]int, len(s.nodes)), make([]int, len(s.nodes))
	known := make([]bool, len(s.nodes))
	var measure func(n int) int
	measure = func(n int) int {
		if known[n] {
			return length[n]
		}
		known[n], next[n] = true, -1
		for _, e := range s.forward(n) {
			if l := measure(s.to(e)) + 1; l > length[n] {
				length[n], next[n] = l, s.to(e)
			}
		}
		return length[n]
	}
	for _, n := range s.ofKind(Start) {
		measure(n)
		for n >= 0 && s.ahead[n] {
			s.spine = append(s.spine, n)
			n = next[n]
		}
	}
}

// findRows orders the nodes so that every edge leads down, in declared order
// where edges leave it open.
func (s *shape) findRows() {
	waits := make([]int, len(s.nodes))
	for n := range s.nodes {
		for _, e := range s.forward(n) {
			if s.ahead[n] {
				waits[s.to(e)]++
			}
		}
	}
	var ready []int
	for n := range s.nodes {
		if s.ahead[n] && waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		slices.Sort(ready)
		n := ready[0]
		ready = ready[1:]
		s.rows = append(s.rows, n)
		for _, e := range s.forward(n) {
			if waits[s.to(e)]--; waits[s.to(e)] == 0 {
				ready = append(ready, s.to(e))
			}
		}
	}
}

// findLoops follows every edge that closes a loop back over nodes that are not
// ahead, up to the node where the way back begins. A node belongs to one loop;
// those of none are strays.
func (s *shape) findLoops() {
	looped := make([]bool, len(s.nodes))
	for e := range s.edges {
		if !s.back[e] || !s.ahead[s.to(e)] {
			continue
		}
		l := loop{to: s.to(e), edges: []int{e}}
		n := s.from(e)
		for !s.ahead[n] && !looped[n] && len(s.in[n]) > 0 {
			looped[n] = true
			l.via, l.edges = append(l.via, n), append(l.edges, s.in[n][0])
			n = s.from(s.in[n][0])
		}
		if !s.ahead[n] {
			for _, via := range l.via {
				looped[via] = false
			}
			continue
		}
		slices.Reverse(l.via)
		slices.Reverse(l.edges)
		l.from = n
		s.turns = append(s.turns, l)
	}
	for n := range s.nodes {
		if !s.ahead[n] && !looped[n] {
			s.strays = append(s.strays, n)
		}
	}
}
