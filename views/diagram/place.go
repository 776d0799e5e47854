package diagram

import (
	"cmp"
	"math"
	"slices"
)

// places says where the nodes and the lanes of a shape stand.
type places struct {
	row    []int // by node; -1 for nodes of loops
	lane   []int // by node, 0 is the spine
	skip   map[int]int
	bow    map[int]bool // edges beside another between the same nodes
	lanes  int
	x, y   []float64 // by node
	spine  float64
	names  float64   // where names begin
	column []float64 // by loop
	last   float64
}

// place finds rows and lanes first, then measures.
func place(s *shape) *places {
	p := &places{row: make([]int, len(s.nodes)), lane: make([]int, len(s.nodes)), skip: map[int]int{}, bow: map[int]bool{}}
	for n := range p.row {
		p.row[n] = -1
	}
	for i, n := range s.rows {
		p.row[n] = i
	}
	p.giveLanes(s)
	p.measure(s)
	return p
}

// span is a stretch of rows that a lane is taken for.
type span struct{ first, last int }

func (a span) meets(b span) bool { return a.first < b.last && b.first < a.last }

// giveLanes keeps nodes of the spine on lane 0, gives every other node the
// first lane that is free from the row it comes from to the row it leads to,
// and does the same for edges that pass nodes of the spine by.
func (p *places) giveLanes(s *shape) {
	taken := map[int][]span{}
	take := func(sp span, prefer int) int {
		lane := prefer
		for lane == 0 || slices.ContainsFunc(taken[lane], sp.meets) {
			lane++
		}
		taken[lane] = append(taken[lane], sp)
		p.lanes = max(p.lanes, lane)
		return lane
	}
	for _, n := range s.rows {
		if !slices.Contains(s.spine, n) {
			sp, prefer := p.reach(s, n)
			p.lane[n] = take(sp, prefer)
		}
	}
	for e := range s.edges {
		a, b := s.from(e), s.to(e)
		switch {
		case !p.down(s, e) || p.lane[a] != p.lane[b]:
		case p.passes(s, a, b):
			if first, ok := p.twin(s, e); ok {
				p.skip[e] = p.skip[first] // the two are one line with two names
			} else {
				p.skip[e] = take(span{p.row[a], p.row[b]}, 1)
			}
		default:
			if _, ok := p.twin(s, e); ok {
				p.bow[e] = true
			}
		}
	}
}

// reach is the stretch of rows that a side node needs, and the lane of the
// side node before it.
func (p *places) reach(s *shape, n int) (span, int) {
	sp, prefer := span{p.row[n], p.row[n]}, 1
	for _, e := range s.in[n] {
		if from := s.from(e); !s.back[e] && p.row[from] >= 0 {
			if p.lane[from] > 0 {
				prefer = p.lane[from]
				continue
			}
			sp.first = min(sp.first, p.row[from])
		}
	}
	for _, e := range s.forward(n) {
		sp.last = max(sp.last, p.row[s.to(e)])
	}
	return sp, prefer
}

// down reports whether an edge leads from one row to a later one.
func (p *places) down(s *shape, e int) bool {
	return !s.back[e] && p.row[s.from(e)] >= 0 && p.row[s.to(e)] >= 0
}

// twin is the first edge that joins the same two nodes, if that is an earlier
// one.
func (p *places) twin(s *shape, e int) (int, bool) {
	first := slices.IndexFunc(s.edges[:e], func(o Edge) bool { return o.From == s.edges[e].From && o.To == s.edges[e].To })
	return first, first >= 0
}

// passes reports whether a node of the same lane stands between a and b.
func (p *places) passes(s *shape, a, b int) bool {
	for n := range s.nodes {
		if p.row[n] > p.row[a] && p.row[n] < p.row[b] && p.lane[n] == p.lane[a] {
			return true
		}
	}
	return false
}

// words lists the labels of the edges that come down into n, bows apart.
func (p *places) words(s *shape, n int) []string {
	var words []string
	for _, e := range s.in[n] {
		if s.edges[e].Label != "" && p.down(s, e) && !p.bow[e] {
			words = append(words, s.edges[e].Label)
		}
	}
	return words
}

func (p *places) measure(s *shape) {
	p.x, p.y = make([]float64, len(s.nodes)), make([]float64, len(s.nodes))
	p.spine = p.left(s)
	p.names = p.spine + laneStep*float64(p.lanes) + nameGap
	y := top
	for i, n := range s.rows {
		if i > 0 {
			y += p.gap(s, s.rows[i-1], n)
		}
		p.x[n], p.y[n] = p.spine+laneStep*float64(p.lane[n]), y
		p.last = y
	}
	p.placeLoops(s)
	for i, n := range s.strays {
		p.x[n], p.y[n] = p.spine-loopReach-loopStep*float64(p.nest(s)), top+40*float64(i)+20
		p.last = max(p.last, p.y[n])
	}
}

// left is how much room the loops and their names need.
func (p *places) left(s *shape) float64 {
	if len(s.turns)+len(s.strays) == 0 {
		if len(p.bow) > 0 {
			return 90
		}
		return 14
	}
	widest := 14.0 * letter
	for n, node := range s.nodes {
		if !s.ahead[n] {
			widest = max(widest, float64(len(node.title()))*letter)
		}
	}
	columns := p.nest(s) - 1
	if len(s.strays) > 0 {
		columns++
	}
	return math.Ceil(loopReach + 14 + widest + 3 + loopStep*float64(columns))
}

// gap is the room between two rows that follow each other.
func (p *places) gap(s *shape, above, below int) float64 {
	words := len(p.words(s, below))
	bowed := slices.ContainsFunc(s.in[below], func(e int) bool { return p.bow[e] })
	switch {
	case words > 0 || bowed:
		return 44 + 13*float64(max(0, words-1))
	case s.nodes[below].Kind == End:
		return 30
	case s.nodes[above].Kind == Start:
		return 32
	}
	for _, l := range s.turns {
		if p.row[below] >= p.row[l.to] && p.row[below] <= p.row[l.from] {
			return 40
		}
	}
	return 36
}

// placeLoops gives each loop a column left of the spine, the shortest nearest
// to it, and spreads its nodes between the rows it joins.
func (p *places) placeLoops(s *shape) {
	p.column = make([]float64, len(s.turns))
	for i, depth := range p.depths(s) {
		p.column[i] = p.spine - loopReach - loopStep*float64(depth)
		l := s.turns[i]
		step := (p.y[l.from] - p.y[l.to]) / float64(len(l.via)+1)
		for k, n := range l.via {
			p.x[n], p.y[n] = p.column[i], math.Round(p.y[l.from]-step*float64(k+1))
		}
	}
}

// depths says how many shorter loops lie between each loop and the spine.
func (p *places) depths(s *shape) []int {
	order := make([]int, len(s.turns))
	for i := range order {
		order[i] = i
	}
	rows := func(i int) span {
		a, b := p.row[s.turns[i].to], p.row[s.turns[i].from]
		return span{min(a, b), max(a, b) + 1}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(rows(a).last-rows(a).first, rows(b).last-rows(b).first)
	})
	depths := make([]int, len(s.turns))
	for k, i := range order {
		for _, j := range order[:k] {
			if rows(i).meets(rows(j)) {
				depths[i] = max(depths[i], depths[j]+1)
			}
		}
	}
	return depths
}

// nest is how many loops stand side by side at most.
func (p *places) nest(s *shape) int {
	most := 0
	for _, depth := range p.depths(s) {
		most = max(most, depth+1)
	}
	return most
}

func (p *places) height() float64 { return p.last + foot }

// width makes room for the longest name with its figure.
func (p *places) width(s *shape, r reading) float64 {
	width := minWidth
	for _, n := range s.rows {
		name, note := len([]rune(s.nodes[n].title())), len([]rune(r.figure(n)))
		width = max(width, p.names+s.nodes[n].indent()+float64(name)*letter+10+float64(note)*figure)
	}
	return width
}
