package diagram

import "slices"

// graph is a topology prepared for layout: its back edges, the nodes that lead
// to the end, its loops, and the spine that the eye follows.
type graph struct {
	called     string // name of the graph
	plain      bool   // plain words are drawn in place of names
	nodes      []Node
	edges      []Edge
	index      map[string]int
	out        [][]int // edges by node, in declared order
	in         [][]int
	back       []bool // edges that close a loop
	reachesEnd []bool // nodes from which the end is reachable without a loop
	spine      []int  // nodes of the longest path from start to end
	rows       []int  // nodes that reach the end, in the order of their rows
	loops      []loop

	detached []int // nodes neither on a path to the end nor on a loop
}

// loop is a path from a node back to an earlier one, over nodes that have no
// other purpose. edges has one more element than via.
type loop struct {
	from, to int
	via      []int
	edges    []int
}

// analyse prepares a topology. Edges that name unknown nodes are ignored.
func analyse(t Topology) *graph {
	g := &graph{called: t.Name, nodes: t.Nodes, index: map[string]int{}}
	for i, n := range t.Nodes {
		g.index[n.Name] = i
	}
	g.out, g.in = make([][]int, len(g.nodes)), make([][]int, len(g.nodes))
	for _, e := range t.Edges {
		from, okFrom := g.index[e.From]
		to, okTo := g.index[e.To]
		if !okFrom || !okTo {
			continue
		}
		i := len(g.edges)
		g.edges = append(g.edges, e)
		g.out[from], g.in[to] = append(g.out[from], i), append(g.in[to], i)
	}
	g.markBackEdges()
	g.markReachesEnd()
	g.findSpine()
	g.orderRows()
	g.findLoops()
	return g
}

func (g *graph) from(e int) int { return g.index[g.edges[e].From] }
func (g *graph) to(e int) int   { return g.index[g.edges[e].To] }

// name returns what a drawing calls an edge. The only way out of a node needs no name.
func (g *graph) name(e int) string {
	if len(g.out[g.from(e)]) == 1 {
		return ""
	}
	return g.label(e)
}

// label returns the label of an edge.
func (g *graph) label(e int) string {
	if g.plain {
		return PlainEdge(g.edges[e].Label)
	}
	return g.edges[e].Label
}

// ofKind returns the nodes of a kind.
func (g *graph) ofKind(kind string) []int {
	var found []int
	for i, n := range g.nodes {
		if n.Kind == kind {
			found = append(found, i)
		}
	}
	return found
}

// markBackEdges marks edges to a node still being explored, depth first from
// the start.
func (g *graph) markBackEdges() {
	g.back = make([]bool, len(g.edges))
	const open, closed = 1, 2
	state := make([]int, len(g.nodes))
	var explore func(n int)
	explore = func(n int) {
		state[n] = open
		for _, e := range g.out[n] {
			switch state[g.to(e)] {
			case open:
				g.back[e] = true
			case 0:
				explore(g.to(e))
			}
		}
		state[n] = closed
	}
	for _, n := range g.ofKind(Start) {
		explore(n)
	}
	for n := range g.nodes {
		if state[n] == 0 {
			explore(n)
		}
	}
}

// markReachesEnd walks back from the end over edges that close no loop.
func (g *graph) markReachesEnd() {
	g.reachesEnd = make([]bool, len(g.nodes))
	queue := g.ofKind(End)
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if g.reachesEnd[n] {
			continue
		}
		g.reachesEnd[n] = true
		for _, e := range g.in[n] {
			if !g.back[e] {
				queue = append(queue, g.from(e))
			}
		}
	}
}

// forwardEdges returns the edges out of n that lead towards the end.
func (g *graph) forwardEdges(n int) []int {
	return slices.DeleteFunc(slices.Clone(g.out[n]), func(e int) bool { return g.back[e] || !g.reachesEnd[g.to(e)] })
}

// findSpine takes the longest path from start to end, the first declared among
// equals.
func (g *graph) findSpine() {
	length, next := make([]int, len(g.nodes)), make([]int, len(g.nodes))
	known := make([]bool, len(g.nodes))
	var measure func(n int) int
	measure = func(n int) int {
		if known[n] {
			return length[n]
		}
		known[n], next[n] = true, -1
		for _, e := range g.forwardEdges(n) {
			if l := measure(g.to(e)) + 1; l > length[n] {
				length[n], next[n] = l, g.to(e)
			}
		}
		return length[n]
	}
	for _, n := range g.ofKind(Start) {
		measure(n)
		for n >= 0 && g.reachesEnd[n] {
			g.spine = append(g.spine, n)
			n = next[n]
		}
	}
}

// orderRows sorts the nodes topologically, in declared order where edges leave
// it open.
func (g *graph) orderRows() {
	waits := make([]int, len(g.nodes))
	for n := range g.nodes {
		for _, e := range g.forwardEdges(n) {
			if g.reachesEnd[n] {
				waits[g.to(e)]++
			}
		}
	}
	var ready []int
	for n := range g.nodes {
		if g.reachesEnd[n] && waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		slices.Sort(ready)
		n := ready[0]
		ready = ready[1:]
		g.rows = append(g.rows, n)
		for _, e := range g.forwardEdges(n) {
			if waits[g.to(e)]--; waits[g.to(e)] == 0 {
				ready = append(ready, g.to(e))
			}
		}
	}
}

// findLoops follows each back edge backwards over nodes that don't reach the
// end, up to the node where the loop begins. A node belongs to at most one
// loop; those in none are detached.
func (g *graph) findLoops() {
	looped := make([]bool, len(g.nodes))
	for e := range g.edges {
		if !g.back[e] || !g.reachesEnd[g.to(e)] {
			continue
		}
		l := loop{to: g.to(e), edges: []int{e}}
		n := g.from(e)
		for !g.reachesEnd[n] && !looped[n] && len(g.in[n]) > 0 {
			looped[n] = true
			l.via, l.edges = append(l.via, n), append(l.edges, g.in[n][0])
			n = g.from(g.in[n][0])
		}
		if !g.reachesEnd[n] {
			for _, via := range l.via {
				looped[via] = false
			}
			continue
		}
		slices.Reverse(l.via)
		slices.Reverse(l.edges)
		l.from = n
		g.loops = append(g.loops, l)
	}
	for n := range g.nodes {
		if !g.reachesEnd[n] && !looped[n] {
			g.detached = append(g.detached, n)
		}
	}
}
