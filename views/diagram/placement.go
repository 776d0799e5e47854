package diagram

import (
	"cmp"
	"math"
	"slices"
)

// placement holds the positions of a graph's nodes, lanes and loops.
type placement struct {
	progress progress
	row      []int // by node; -1 for nodes of loops
	lane     []int // by node; 0 is the spine
	bypass   map[int]int
	parallel map[int]bool // edges parallel to another between the same nodes
	bows     map[int]bool // bypasses of one node, if nothing else leaves the spine
	maxLane  int
	x, y     []float64 // by node
	spineX   float64
	nameX    float64   // left edge of the names
	loopX    []float64 // by loop
	bottom   float64
}

// place assigns rows and lanes, then computes coordinates.
func place(g *graph, r progress) *placement {
	p := &placement{progress: r, row: make([]int, len(g.nodes)), lane: make([]int, len(g.nodes)), bypass: map[int]int{}, parallel: map[int]bool{}, bows: map[int]bool{}}
	for n := range p.row {
		p.row[n] = -1
	}
	for i, n := range g.rows {
		p.row[n] = i
	}
	p.assignLanes(g)
	p.findBows(g)
	p.measure(g)
	return p
}

// span is a range of rows in which a lane is taken.
type span struct{ first, last int }

func (a span) overlaps(b span) bool { return a.first < b.last && b.first < a.last }

// assignLanes keeps the nodes of the spine on lane 0. Any other node gets the
// first lane that is free between the rows it connects; so does an edge that
// bypasses nodes of the spine.
func (p *placement) assignLanes(g *graph) {
	taken := map[int][]span{}
	take := func(sp span, prefer int) int {
		lane := prefer
		for lane == 0 || slices.ContainsFunc(taken[lane], sp.overlaps) {
			lane++
		}
		taken[lane] = append(taken[lane], sp)
		p.maxLane = max(p.maxLane, lane)
		return lane
	}
	for _, n := range g.rows {
		if !slices.Contains(g.spine, n) {
			sp, prefer := p.laneSpan(g, n)
			p.lane[n] = take(sp, prefer)
		}
	}
	for e := range g.edges {
		a, b := g.from(e), g.to(e)
		switch {
		case !p.pointsDown(g, e) || p.lane[a] != p.lane[b]:
		case p.crosses(g, a, b):
			if first, ok := p.sameEnds(g, e); ok {
				p.bypass[e] = p.bypass[first] // the two are one line with two names
			} else {
				p.bypass[e] = take(span{p.row[a], p.row[b]}, 1)
			}
		default:
			if _, ok := p.sameEnds(g, e); ok {
				p.parallel[e] = true
			}
		}
	}
}

// findBows takes bypasses out of their lane if each is around one node of the spine:
// only the name of that node makes room for them.
func (p *placement) findBows(g *graph) {
	if p.maxLane != 1 || len(g.rows) != len(g.spine) {
		return
	}
	for e := range p.bypass {
		if p.row[g.to(e)]-p.row[g.from(e)] != 2 {
			return
		}
	}
	for e := range p.bypass {
		p.bows[e] = true
	}
	p.maxLane = 0
}

// nameAt returns the left edge of a node's name.
func (p *placement) nameAt(g *graph, n int) float64 {
	x := p.nameX + g.nodes[n].indent()
	for e := range p.bows {
		if p.row[n] == p.row[g.from(e)]+1 {
			return x + laneStep
		}
	}
	return x
}

// laneSpan returns the rows for which a side node needs a lane, and the lane of
// the side node before it.
func (p *placement) laneSpan(g *graph, n int) (span, int) {
	sp, prefer := span{p.row[n], p.row[n]}, 1
	for _, e := range g.in[n] {
		if from := g.from(e); !g.back[e] && p.row[from] >= 0 {
			if p.lane[from] > 0 {
				prefer = p.lane[from]
				continue
			}
			sp.first = min(sp.first, p.row[from])
		}
	}
	for _, e := range g.forwardEdges(n) {
		sp.last = max(sp.last, p.row[g.to(e)])
	}
	return sp, prefer
}

// pointsDown reports whether an edge leads from one row to a later one.
func (p *placement) pointsDown(g *graph, e int) bool {
	return !g.back[e] && p.row[g.from(e)] >= 0 && p.row[g.to(e)] >= 0
}

// sameEnds returns the first earlier edge between the same two nodes, if any.
func (p *placement) sameEnds(g *graph, e int) (int, bool) {
	first := slices.IndexFunc(g.edges[:e], func(o Edge) bool { return o.From == g.edges[e].From && o.To == g.edges[e].To })
	return first, first >= 0
}

// crosses reports whether a node of the same lane lies between a and b.
func (p *placement) crosses(g *graph, a, b int) bool {
	for n := range g.nodes {
		if p.row[n] > p.row[a] && p.row[n] < p.row[b] && p.lane[n] == p.lane[a] {
			return true
		}
	}
	return false
}

// named reports whether one of the edges has a label and points down.
func (p *placement) named(g *graph, edges []int) bool {
	return slices.ContainsFunc(edges, func(e int) bool { return g.name(e) != "" && p.pointsDown(g, e) })
}

func (p *placement) measure(g *graph) {
	p.x, p.y = make([]float64, len(g.nodes)), make([]float64, len(g.nodes))
	p.spineX = p.leftMargin(g)
	p.nameX = p.spineX + laneStep*float64(p.maxLane) + nameGap
	y := top
	for i, n := range g.rows {
		if i > 0 {
			y += p.rowGap(g, g.rows[i-1], n)
		}
		p.x[n], p.y[n] = p.spineX+laneStep*float64(p.lane[n]), y
		p.bottom = y
	}
	p.placeLoops(g)
	offsets := p.loopOffsets(g)
	for i, n := range g.detached {
		p.x[n], p.y[n] = p.spineX-loopReach-offsets[len(offsets)-1], top+40*float64(i)+20
		p.bottom = max(p.bottom, p.y[n])
	}
}

// leftMargin returns the width that the loops and their names need.
func (p *placement) leftMargin(g *graph) float64 {
	if len(g.loops)+len(g.detached) == 0 {
		if len(p.parallel) > 0 || p.maxLane > 0 && slices.ContainsFunc(g.spine, func(n int) bool { return p.named(g, g.out[n]) }) {
			return 90 // for the names of lines with others on their right
		}
		return 14
	}
	widest := leastName * nameAdvance
	if g.plain {
		widest = leastPlain * nameAdvance
	}
	for n := range g.nodes {
		if !g.reachesEnd[n] {
			widest = max(widest, float64(letters(p.progress.name(g, n)))*nameAdvance)
		}
	}
	margin := loopReach + 14 + widest + loopStep*float64(max(0, p.loopColumns(g)-1))
	offsets := p.loopOffsets(g)
	for column, offset := range offsets {
		switch last := column == len(offsets)-1; {
		case last && len(g.detached) > 0, !last && p.widestName(g, column) > 0:
			margin = max(margin, loopReach+offset+14+widest)
		case !last:
			margin = max(margin, loopReach+offset+3)
		}
	}
	return math.Ceil(margin)
}

// rowGap returns the distance between two adjacent rows.
func (p *placement) rowGap(g *graph, above, below int) float64 {
	switch {
	case p.named(g, g.in[below]) || p.named(g, g.out[above]):
		return 44
	case g.nodes[below].Kind == End:
		return 30
	case g.nodes[above].Kind == Start:
		return 32
	}
	for _, l := range g.loops {
		if p.row[below] >= p.row[l.to] && p.row[below] <= p.row[l.from] {
			return 40
		}
	}
	return 36
}

// placeLoops gives each loop a column left of the spine, the shortest nearest
// to it, and spreads its nodes between the rows it connects.
func (p *placement) placeLoops(g *graph) {
	p.loopX = make([]float64, len(g.loops))
	offsets := p.loopOffsets(g)
	for i, depth := range p.loopDepths(g) {
		p.loopX[i] = p.spineX - loopReach - offsets[depth]
		l := g.loops[i]
		step := (p.y[l.from] - p.y[l.to]) / float64(len(l.via)+1)
		for k, n := range l.via {
			p.x[n], p.y[n] = p.loopX[i], math.Round(p.y[l.from]-step*float64(k+1))
		}
	}
}

// loopDepths returns for each loop how many shorter loops lie between it and
// the spine.
func (p *placement) loopDepths(g *graph) []int {
	order := make([]int, len(g.loops))
	for i := range order {
		order[i] = i
	}
	rows := func(i int) span {
		a, b := p.row[g.loops[i].to], p.row[g.loops[i].from]
		return span{min(a, b), max(a, b) + 1}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(rows(a).last-rows(a).first, rows(b).last-rows(b).first)
	})
	depths := make([]int, len(g.loops))
	for k, i := range order {
		for _, j := range order[:k] {
			if rows(i).overlaps(rows(j)) {
				depths[i] = max(depths[i], depths[j]+1)
			}
		}
	}
	return depths
}

// loopOffsets returns the distance of each column of loops from the left of the first column, and the space beyond the
// last one. The names of a loop's nodes are between it and the next.
func (p *placement) loopOffsets(g *graph) []float64 {
	offsets := make([]float64, p.loopColumns(g)+1)
	for column := range len(offsets) - 1 {
		step := loopStep
		if name := p.widestName(g, column); name > 0 {
			step = max(step, 14+name+strandGap)
		}
		offsets[column+1] = offsets[column] + step
	}
	return offsets
}

// widestName returns the width of the widest name in a column of loops, or 0 if there is none.
func (p *placement) widestName(g *graph, column int) (width float64) {
	for i, depth := range p.loopDepths(g) {
		for _, n := range g.loops[i].via {
			if depth == column {
				width = max(width, float64(letters(p.progress.name(g, n)))*nameAdvance)
			}
		}
	}
	return width
}

// loopColumns returns how many loops lie side by side at most.
func (p *placement) loopColumns(g *graph) int {
	most := 0
	for _, depth := range p.loopDepths(g) {
		most = max(most, depth+1)
	}
	return most
}

func (p *placement) height() float64 { return p.bottom + foot }

// width returns the width that fits the longest name with its figure.
func (p *placement) width(g *graph, r progress) float64 {
	width := minWidth
	for _, n := range g.rows {
		name, note := letters(r.name(g, n)), letters(r.figure(n))
		width = max(width, p.nameAt(g, n)+float64(name)*nameWidest+figureGap+float64(note)*figureAdvance)
	}
	return width
}
