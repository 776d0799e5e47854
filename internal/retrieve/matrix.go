package retrieve

// matrix is an undirected weighted graph in compressed rows. Columns are divided
// by the weighted degree of their node, so entry (i, j) is the probability of
// stepping from j to i.
type matrix struct {
	row    []int32 // index of each node's first neighbour
	column []int32
	chance []float32
	degree []float32
}

func (m *matrix) nodes() int { return len(m.row) - 1 }

// step adds scale · m · from to to.
func (m *matrix) step(from, to []float32, scale float32) {
	for i := range to {
		column := m.column[m.row[i]:m.row[i+1]]
		chance := m.chance[m.row[i]:m.row[i+1]][:len(column)] // one check of the bounds for all neighbours
		var sum float32
		for k, j := range column {
			sum += chance[k] * from[j]
		}
		to[i] += scale * sum
	}
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

// build lays the edges out by a counting sort that keeps their order.
func (b *matrixBuilder) build() matrix {
	m := matrix{row: make([]int32, b.nodes+1), degree: make([]float32, b.nodes)}
	for _, e := range b.edges {
		m.row[e.a+1]++
		m.row[e.b+1]++
		m.degree[e.a] += e.weight
		m.degree[e.b] += e.weight
	}
	for i := range b.nodes {
		m.row[i+1] += m.row[i]
	}
	m.column = make([]int32, 2*len(b.edges))
	m.chance = make([]float32, 2*len(b.edges))
	next := append([]int32(nil), m.row[:b.nodes]...)
	put := func(at, neighbour int32, weight float32) {
		m.column[next[at]], m.chance[next[at]] = neighbour, weight/m.degree[neighbour]
		next[at]++
	}
	for _, e := range b.edges {
		put(e.a, e.b, e.weight)
		put(e.b, e.a, e.weight)
	}
	return m
}
