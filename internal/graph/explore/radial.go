package explore

import (
	"math"
	"slices"
)

// The measures of a neighbourhood, in pixels at its natural size.
const (
	firstRing = 170.0
	nextRing  = 138.0
	spacing   = 50.0 // between neighbours on a ring
	row       = 40.0 // between the rows of a crowded ring
	maxRows   = 3
	fanFrom   = 84.0 // from an opened entity to its own
)

// radial lays a neighbourhood out on rings about its centre. Each entity stands
// behind the one it was reached from, in a sector as wide as it needs; entities
// on the first ring stand beside those they are connected with. Opened entities
// get their neighbours around them where there is room, so that nothing else
// moves.
type radial struct {
	*selection
	edges   []Edge
	base    int // members on rings; the others were opened
	centres int

	children map[int32][]int32
	leaves   map[int32]int
	angle    map[int32]float64
	rings    [][]int32 // by depth, in the order of their angles
	points   []Point   // of members
}

func (l *radial) layout() []Point {
	l.children, l.leaves, l.angle = map[int32][]int32{}, map[int32]int{}, map[int32]float64{}
	l.points = make([]Point, len(l.members))
	for _, n := range l.members[l.centres:l.base] {
		l.children[l.from[n]] = append(l.children[l.from[n]], n)
	}
	centres := l.members[:l.centres]
	all := 0
	for _, n := range centres {
		l.children[n] = l.chain(l.children[n])
		all += l.count(n)
	}
	at := -math.Pi / 2
	for _, n := range centres {
		width := 2 * math.Pi * float64(l.leaves[n]) / float64(all)
		l.spread(n, 0, at, at+width)
		at += width
	}
	l.place(all)
	for i := l.base; i < len(l.members); i++ {
		l.points[i] = l.free(l.members[i], i)
	}
	return l.points
}

// count returns how many members at the ends of branches stand behind n.
func (l *radial) count(n int32) int {
	sum := 0
	for _, c := range l.children[n] {
		sum += l.count(c)
	}
	l.leaves[n] = max(1, sum)
	return l.leaves[n]
}

// chain orders members so that connected ones are neighbours: each is followed
// by the one with most evidence of a relation with it or the one before.
func (l *radial) chain(list []int32) []int32 {
	if len(list) < 3 {
		return list
	}
	between := map[[2]int32]int{}
	for _, e := range l.edges {
		a, b := l.members[e.A], l.members[e.B]
		between[[2]int32{a, b}], between[[2]int32{b, a}] = e.Evidence, e.Evidence
	}
	left := slices.Clone(list[1:])
	out := []int32{list[0]}
	for len(left) > 0 {
		best, most := 0, -1
		for i, n := range left {
			score := 2 * between[[2]int32{out[len(out)-1], n}]
			if len(out) > 1 {
				score += between[[2]int32{out[len(out)-2], n}]
			}
			if score > most {
				best, most = i, score
			}
		}
		out = append(out, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return out
}

// spread gives n the middle of a sector, and its children parts of it.
func (l *radial) spread(n int32, depth int, from, to float64) {
	l.angle[n] = (from + to) / 2
	for len(l.rings) <= depth {
		l.rings = append(l.rings, nil)
	}
	l.rings[depth] = append(l.rings[depth], n)
	at := from
	for _, c := range l.children[n] {
		width := (to - from) * float64(l.leaves[c]) / float64(l.leaves[n])
		l.spread(c, depth+1, at, at+width)
		at += width
	}
}

// place sets the points of the rings. A crowded ring is larger and has several
// rows.
func (l *radial) place(leaves int) {
	index := make(map[int32]int, l.base)
	for i, n := range l.members[:l.base] {
		index[n] = i
	}
	radius, inner := 0.0, 0.0
	for depth, ring := range l.rings {
		switch {
		case depth == 0 && len(ring) > 1:
			radius = max(90, float64(len(ring))*spacing/math.Pi)
		case depth == 1:
			radius = inner + firstRing
		case depth > 1:
			radius = inner + nextRing
		}
		rows := 1
		if depth > 0 {
			need := min(float64(leaves), float64(len(ring))*2) * spacing / (2 * math.Pi)
			radius = max(radius, need/maxRows)
			rows = min(maxRows, int(math.Ceil(need/radius)))
		}
		for i, n := range ring {
			r := radius + float64(i%rows)*row
			l.points[index[n]] = Point{r * math.Cos(l.angle[n]), r * math.Sin(l.angle[n])}
		}
		inner = radius + float64(rows-1)*row
	}
}

// free returns a point near the entity that n was opened from and far enough
// from everything placed before, away from the centre if possible.
func (l *radial) free(n int32, placed int) Point {
	from := l.points[slices.Index(l.members, l.from[n])]
	out := math.Atan2(from.Y, from.X)
	for r := fanFrom; ; r += row {
		slots := int(math.Pi * r / spacing)
		for i := range 2*slots + 1 {
			turn := float64((i+1)/2) * spacing / r
			if i%2 == 0 {
				turn = -turn
			}
			p := Point{from.X + r*math.Cos(out+turn), from.Y + r*math.Sin(out+turn)}
			if l.clear(p, placed) {
				return p
			}
		}
	}
}

func (l *radial) clear(p Point, placed int) bool {
	for _, q := range l.points[:placed] {
		if math.Hypot(p.X-q.X, p.Y-q.Y) < spacing*0.9 {
			return false
		}
	}
	return true
}
