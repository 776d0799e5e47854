package retrieve

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// matrix is an undirected weighted graph in compressed rows. Columns are divided
// by the weighted degree of their node, so entry (i, j) is the probability of
// stepping from j to i.
//
// Rows lie in the order of their length, so that the rows that are summed side by
// side end together.
type matrix struct {
	order []int32 // nodes, those with few neighbours first
	first []int32 // index of each node's first neighbour
	after []int32 // and the index after its last
	all   []neighbour
}

// neighbour is an entry of a row.
type neighbour struct {
	node   int32
	chance float32
}

func (m *matrix) nodes() int { return len(m.first) }

// neighbours returns the row of a node.
func (m *matrix) neighbours(node int32) []neighbour { return m.all[m.first[node]:m.after[node]] }

// step moves to from where it is towards what walkers bring who follow an edge
// with probability damping and otherwise restart at the seeds: as far as that if
// ahead is 1, and beyond if it is more. Large graphs are divided among the processors;
// each row is summed by one, in the same order.
func (m *matrix) step(from, to, seed []float32, damping, ahead float32) {
	parts := m.parts(runtime.GOMAXPROCS(0))
	var others sync.WaitGroup
	for _, rows := range parts[1:] {
		others.Go(func() { m.stepRows(rows, from, to, seed, damping, ahead) })
	}
	m.stepRows(parts[0], from, to, seed, damping, ahead)
	others.Wait()
}

// entriesEach is the least number of entries that are worth a goroutine in each step.
const entriesEach = 1 << 16

// parts divides the rows into at most so many parts with about as many entries each.
func (m *matrix) parts(most int) [][]int32 {
	n := max(1, min(most, len(m.all)/entriesEach))
	parts, begun := make([][]int32, 0, n), 0
	for i := 1; i < n; i++ {
		entries := int32(i * (len(m.all) / n))
		end, _ := slices.BinarySearchFunc(m.order, entries, func(node, at int32) int { return cmp.Compare(m.first[node], at) })
		parts, begun = append(parts, m.order[begun:end]), end
	}
	return append(parts, m.order[begun:])
}

// stepRows is step for the rows of some nodes. It sums four rows at a time, each from its
// first neighbour to its last: the processor need not wait for one sum.
func (m *matrix) stepRows(order []int32, from, to, seed []float32, damping, ahead float32) {
	move := func(n int32, sum float32) {
		to[n] += ahead * (damping*sum + (1-damping)*seed[n] - to[n])
	}
	for ; len(order) >= 4; order = order[4:] {
		n0, n1, n2, n3 := order[0], order[1], order[2], order[3]
		r0, r1, r2, r3 := m.neighbours(n0), m.neighbours(n1), m.neighbours(n2), m.neighbours(n3)
		var s0, s1, s2, s3 float32
		b1, b2, b3 := r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for k, e := range r0 {
			s0 += e.chance * from[e.node]
			s1 += b1[k].chance * from[b1[k].node]
			s2 += b2[k].chance * from[b2[k].node]
			s3 += b3[k].chance * from[b3[k].node]
		}
		move(n0, s0)
		move(n1, sum(s1, r1[len(r0):], from))
		move(n2, sum(s2, r2[len(r0):], from))
		move(n3, sum(s3, r3[len(r0):], from))
	}
	for _, n := range order {
		move(n, sum(0, m.neighbours(n), from))
	}
}

// sum adds what comes from neighbours to s.
func sum(s float32, row []neighbour, from []float32) float32 {
	for _, e := range row {
		s += e.chance * from[e.node]
	}
	return s
}

type edge struct {
	a, b   int32
	weight float32
}

// matrixBuilder collects edges and sums parallel ones.
type matrixBuilder struct {
	nodes int
	edges []edge
}

func newMatrixBuilder(nodes int) *matrixBuilder { return &matrixBuilder{nodes: nodes} }

func (b *matrixBuilder) add(from, to int32, weight float32) {
	if weight > 0 {
		b.edges = append(b.edges, edge{from, to, weight})
	}
}

// build lays the edges out, those of a node in their order.
func (b *matrixBuilder) build() matrix {
	m := matrix{order: make([]int32, b.nodes), first: make([]int32, b.nodes), after: make([]int32, b.nodes), all: make([]neighbour, 2*len(b.edges))}
	length, degree := make([]int32, b.nodes), make([]float32, b.nodes)
	for _, e := range b.edges {
		length[e.a]++
		length[e.b]++
		degree[e.a] += e.weight
		degree[e.b] += e.weight
	}
	for i := range m.order {
		m.order[i] = int32(i)
	}
	slices.SortStableFunc(m.order, func(a, b int32) int { return cmp.Compare(length[a], length[b]) })
	at := int32(0)
	for _, n := range m.order {
		m.first[n], m.after[n] = at, at
		at += length[n]
	}
	put := func(n, other int32, weight float32) {
		m.all[m.after[n]] = neighbour{other, weight / degree[other]}
		m.after[n]++
	}
	for _, e := range b.edges {
		put(e.a, e.b, e.weight)
		put(e.b, e.a, e.weight)
	}
	return m
}
