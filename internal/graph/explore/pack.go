package explore

import "math"

// disc is a circle to be packed.
type disc struct {
	Point
	r float64
}

// gap is the room between packed discs.
const gap = 14.0

// pack places discs side by side around the first, in order, each where it
// touches two others and is nearest to the middle. It keeps the ring of discs
// that stand at the rim: a new disc touches two neighbours of the ring, and
// takes the place of those it would overlap.
func pack(discs []disc) {
	for i := range discs {
		discs[i].r += gap / 2
	}
	p := &packing{discs: discs}
	for i := range discs {
		p.add(i)
	}
	for i := range discs {
		discs[i].r -= gap / 2
	}
}

type packing struct {
	discs []disc
	rim   []int // indices of discs, around the packing
}

func (p *packing) add(i int) {
	d := &p.discs[i]
	switch len(p.rim) {
	case 0:
		d.Point = Point{}
	case 1:
		d.Point = Point{p.discs[p.rim[0]].r + d.r, 0}
	default:
		p.touch(i)
		return
	}
	p.rim = append(p.rim, i)
}

// touch places a disc at the pair of neighbours on the rim that lies nearest to
// the middle. While it overlaps another disc of the rim, the discs between are
// covered and leave the rim.
func (p *packing) touch(i int) {
	a := p.nearest()
	b := (a + 1) % len(p.rim)
	for {
		p.discs[i].Point = beside(p.discs[p.rim[a]], p.discs[p.rim[b]], p.discs[i].r)
		forward, back := p.overlap(i, a, b)
		if forward < 0 {
			break
		}
		if back {
			a = p.cut(forward, b)
			b = (a + 1) % len(p.rim)
		} else {
			b = forward
			a = p.cut(a, b)
			b = (a + 1) % len(p.rim)
		}
	}
	p.rim = append(p.rim[:a+1], append([]int{i}, p.rim[a+1:]...)...)
}

// nearest returns the place on the rim from which the next disc is nearest to
// the middle.
func (p *packing) nearest() int {
	best, least := 0, math.Inf(1)
	for k := range p.rim {
		x, y := p.discs[p.rim[k]], p.discs[p.rim[(k+1)%len(p.rim)]]
		sum := x.r + y.r
		if d := math.Hypot((x.X*y.r+y.X*x.r)/sum, (x.Y*y.r+y.Y*x.r)/sum); d < least-1e-9 {
			best, least = k, d
		}
	}
	return best
}

// overlap returns the first place on the rim, looked for both ways from a and b,
// whose disc i overlaps, and whether it was found backwards; -1 if there is
// none.
func (p *packing) overlap(i, a, b int) (int, bool) {
	n := len(p.rim)
	for step := 1; step < n-1; step++ {
		if k := (b + step) % n; k != a && p.meets(i, k) {
			return k, false
		}
		if k := (a - step + n) % n; k != b && p.meets(i, k) {
			return k, true
		}
	}
	return -1, false
}

func (p *packing) meets(i, k int) bool {
	x, y := p.discs[i], p.discs[p.rim[k]]
	return math.Hypot(x.X-y.X, x.Y-y.Y) < x.r+y.r-1e-6
}

// cut takes what lies between two places off the rim and returns the new number
// of the first.
func (p *packing) cut(a, b int) int {
	n := len(p.rim)
	kept := make([]int, 0, n)
	for k := b; ; k = (k + 1) % n {
		kept = append(kept, p.rim[k])
		if k == a {
			break
		}
	}
	p.rim = kept
	return len(kept) - 1
}

// beside returns the middle of a disc of radius r that touches a and b, on the
// outer side of a rim that runs from a to b.
func beside(a, b disc, r float64) Point {
	dx, dy := b.X-a.X, b.Y-a.Y
	d := math.Hypot(dx, dy)
	if d == 0 {
		return Point{a.X + a.r + r, a.Y}
	}
	fromA, fromB := a.r+r, b.r+r
	along := (d*d + fromA*fromA - fromB*fromB) / (2 * d)
	across := math.Sqrt(math.Max(0, fromA*fromA-along*along))
	return Point{a.X + (dx*along+dy*across)/d, a.Y + (dy*along-dx*across)/d}
}
