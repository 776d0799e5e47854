package explore

import (
	"cmp"
	"math"
)

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

// overlap returns the first place on the rim, looked for both ways from a and b, whose disc i overlaps, and whether it
// was found backwards, or -1 if there is none.
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

// rounds is how long a community is moved before it is drawn.
const rounds = 70

// settle lays out n items by springs: connected ones attract, near ones repel
// each other. The heaviest item comes first and starts in the middle. Items
// repel only within the grid's neighbouring cells, so that a round takes time
// in proportion to n. Positions fill a disc of radius 1.
func settle(n int, pairs [][2]int32) []Point {
	at := sunflower(n)
	if n < 3 {
		return at
	}
	force := make([]Point, n)
	heat := math.Sqrt(float64(n)) / 4
	for round := range rounds {
		for i := range force {
			force[i] = Point{-at[i].X * 0.02, -at[i].Y * 0.02}
		}
		repel(at, force)
		for _, p := range pairs {
			dx, dy := at[p[1]].X-at[p[0]].X, at[p[1]].Y-at[p[0]].Y
			pull := math.Min(math.Hypot(dx, dy), 6) / 6
			force[p[0]].X += dx * pull
			force[p[0]].Y += dy * pull
			force[p[1]].X -= dx * pull
			force[p[1]].Y -= dy * pull
		}
		limit := heat*(1-float64(round)/rounds) + 0.02
		for i, f := range force {
			if size := math.Hypot(f.X, f.Y); size > limit {
				f.X, f.Y = f.X*limit/size, f.Y*limit/size
			}
			at[i].X += f.X
			at[i].Y += f.Y
		}
	}
	return fit(at)
}

// sunflower spreads n points evenly over a disc, from the middle outwards, one
// to a unit of area.
func sunflower(n int) []Point {
	golden := math.Pi * (3 - math.Sqrt(5))
	at := make([]Point, n)
	for i := range at {
		r, turn := math.Sqrt(float64(i)/math.Pi), float64(i)*golden
		at[i] = Point{r * math.Cos(turn), r * math.Sin(turn)}
	}
	return at
}

// reach is how far items repel each other, and the size of the grid's cells.
const reach = 2.5

// repel adds the repulsion between near items.
func repel(at, force []Point) {
	cells := make(map[[2]int32][]int32, len(at))
	for i, p := range at {
		c := cell(p)
		cells[c] = append(cells[c], int32(i))
	}
	for i, p := range at {
		c := cell(p)
		for dx := int32(-1); dx <= 1; dx++ {
			for dy := int32(-1); dy <= 1; dy++ {
				for _, j := range cells[[2]int32{c[0] + dx, c[1] + dy}] {
					push(p, at[j], &force[i])
				}
			}
		}
	}
}

func cell(p Point) [2]int32 {
	return [2]int32{int32(math.Floor(p.X / reach)), int32(math.Floor(p.Y / reach))}
}

// push adds to force what drives p away from q.
func push(p, q Point, force *Point) {
	dx, dy := p.X-q.X, p.Y-q.Y
	d := dx*dx + dy*dy
	if d == 0 || d > reach*reach {
		return
	}
	strength := 1/(d+0.1) - 1/(reach*reach+0.1)
	force.X += dx * strength
	force.Y += dy * strength
}

// fit moves points into the disc of radius 1, about their middle.
func fit(at []Point) []Point {
	var middle Point
	for _, p := range at {
		middle.X += p.X / float64(len(at))
		middle.Y += p.Y / float64(len(at))
	}
	far := 0.0
	for _, p := range at {
		far = math.Max(far, math.Hypot(p.X-middle.X, p.Y-middle.Y))
	}
	far = cmp.Or(far, 1)
	for i := range at {
		at[i] = Point{(at[i].X - middle.X) / far, (at[i].Y - middle.Y) / far}
	}
	return at
}
