package explore

import (
	"cmp"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain/lists"
)

// The limits of the overview.
const (
	MaxPlaces = 40 // communities
	maxDots   = 16 // members drawn per community
	minDots   = 3
	allDots   = 170 // members drawn in total, unless each community shows only minDots
	named     = 3   // members named per community in a list
	maxRoads  = 80
)

// Overview returns the communities as places, largest first, with the weightiest
// entities of each, what joins these, and the roads between places. Found counts all
// communities, Loose the entities in none.
func (g *Graph) Overview(f Filter) View {
	g.divide()
	m := g.mask(f)
	var v View
	var groups [][]int32
	at := make([]int, len(g.places)) // in v.Places; -1 for others
	for i, p := range g.places {
		at[i] = -1
		if p.loose {
			continue
		}
		if members := m.among(p.members); len(members) > 0 {
			if v.Found++; len(groups) < MaxPlaces {
				at[i] = len(groups)
				groups = append(groups, members)
			}
		}
	}
	if apart := m.apart(); len(apart) > 0 {
		v.Loose, v.LooseLead = len(apart), g.entities[apart[0]].id
	}
	most := dots(groups)
	regions := lists.Map(groups, func(members []int32) region { return m.region(members[:min(len(members), most)]) })
	gather(regions)
	tints := tint(regions)
	for i, members := range groups {
		r := &regions[i]
		p := Place{Lead: g.entities[members[0]].id, Members: len(members), Tint: tints[i] + 1, Title: r.moved(r.title), Outline: r.outline()}
		p.Names = lists.Map(members[:min(len(members), named)], func(n int32) string { return g.entities[n].name })
		v.Places = append(v.Places, p)
		for k, n := range r.members {
			v.Nodes, v.In = append(v.Nodes, g.node(n, 0, r.moved(r.points[k]))), append(v.In, i)
		}
	}
	drawn := make([]int32, 0, len(v.Nodes))
	for _, r := range regions {
		drawn = append(drawn, r.members...)
	}
	v.Edges, v.Relations = m.edges(drawn, MaxEdges, nil)
	v.Turns = m.turns(m.members())
	m.roads(&v, at, regions)
	return v
}

// dots returns how many members of each community are drawn.
func dots(groups [][]int32) int {
	for most := maxDots; most > minDots; most-- {
		all := lists.Sum(groups, func(members []int32) int { return min(len(members), most) })
		if all <= allDots {
			return most
		}
	}
	return minDots
}

// roads counts what joins the members of places, and gathers what joins two places into
// one road.
func (m mask) roads(v *View, at []int, regions []region) {
	found := map[[2]int]*Road{}
	road := func(a, b int32) *Road {
		x, y := at[m.g.in[a]], at[m.g.in[b]]
		if x < 0 || y < 0 || x == y {
			return nil
		}
		pair := [2]int{min(x, y), max(x, y)}
		if found[pair] == nil {
			found[pair] = &Road{A: pair[0], B: pair[1]}
		}
		return found[pair]
	}
	for _, r := range m.g.relations {
		if !m.passes(r) {
			continue
		}
		if between := road(r.source, r.target); between != nil {
			between.Facts++
		} else if x := at[m.g.in[r.source]]; x >= 0 && x == at[m.g.in[r.target]] {
			v.Places[x].Facts++
		}
	}
	if m.filter.Together {
		for _, t := range m.g.ties() {
			if !m.tied(t) {
				continue
			}
			if between := road(t.a, t.b); between != nil {
				between.Mentions++
			}
		}
	}
	for _, r := range found {
		r.Under = under(regions, r.A, r.B)
		v.Roads = append(v.Roads, *r)
	}
	slices.SortFunc(v.Roads, func(x, y Road) int {
		return cmp.Or(cmp.Compare(y.Facts, x.Facts), cmp.Compare(y.Mentions, x.Mentions), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	v.Roads = v.Roads[:min(len(v.Roads), maxRoads)]
}

// under reports whether the line between two regions passes under a third.
func under(regions []region, a, b int) bool {
	const steps = 40
	from, to := regions[a].at, regions[b].at
	for i := 1; i < steps; i++ {
		part := float64(i) / steps
		p := Point{from.X + (to.X-from.X)*part, from.Y + (to.Y-from.Y)*part}
		for k := range regions {
			if k != a && k != b && regions[k].holds(p) {
				return true
			}
		}
	}
	return false
}

// The measures of a region, in pixels at its natural size.
const (
	letter      = 3.3  // half the mean width of a letter
	boldLetter  = 4.4  // the same for the name of the weightiest entity
	titleLetter = 3.9  // the same for the name of a region
	above       = 11.0 // height of an entity's shape above its middle
	below       = 28.0 // height below it, for its name
	titleHeight = 26.0
	pad         = 15.0 // between the drawing and the outline
	between     = 22.0 // between regions
	longest     = 34   // letters of a name
)

// sides is how many directions tell the outline of a region.
const sides = 48

// direction is the unit vector of each side, clockwise from the right.
var direction = func() (d [sides]Point) {
	for k := range d {
		d[k] = Point{math.Cos(2 * math.Pi * float64(k) / sides), math.Sin(2 * math.Pi * float64(k) / sides)}
	}
	return d
}()

// region is a community in the overview. Its points are relative to its middle.
type region struct {
	members []int32
	points  []Point
	title   Point
	far     [sides]float64 // extent of the outline in each direction
	reach   float64        // the largest of far
	at      Point          // the middle
}

// box is the space that an entity and its name take, relative to the entity.
type box struct{ half, above, below float64 }

func boxOf(name string, letter float64) box {
	return box{half: max(12, letter*float64(min(len([]rune(name)), longest))+4), above: above, below: below}
}

// region lays out members on their own: by springs, turned in the way that has the fewest crossings, then pushed apart
// until no name overlaps another or an entity.
func (m mask) region(members []int32) region {
	index := make(map[int32]int, len(members))
	boxes := make([]box, len(members))
	for i, n := range members {
		index[n], boxes[i] = i, boxOf(m.g.entities[n].name, either(i == 0, boldLetter, letter))
	}
	boxes[0].above, boxes[0].below = boxes[0].above+4, boxes[0].below+6
	edges, _ := m.edges(members, 0, nil)
	pairs := lists.Map(edges, func(e Edge) [2]int32 { return [2]int32{int32(e.A), int32(e.B)} })
	sprung := fit(settle(len(members), pairs))
	var best []Point
	fewest := math.Inf(1)
	for turn := range 8 {
		points := turned(sprung, float64(turn)*math.Pi/4, 26*math.Sqrt(float64(len(members))))
		part(points, boxes)
		if n := crossings(points, pairs); n < fewest {
			best, fewest = points, n
		}
	}
	r := region{members: members, points: best}
	r.close(boxes, m.g.entities[members[0]].name)
	return r
}

// turned returns points turned about the middle and scaled; a landscape has more room.
func turned(points []Point, by, scale float64) []Point {
	sin, cos := math.Sincos(by)
	return lists.Map(points, func(p Point) Point { return Point{(p.X*cos - p.Y*sin) * scale * 1.3, (p.X*sin + p.Y*cos) * scale} })
}

// part pushes points apart until their boxes are.
func part(points []Point, boxes []box) {
	for range 400 {
		moved := false
		for i := range points {
			for j := range i {
				a, b := &points[i], &points[j]
				wide := boxes[i].half + boxes[j].half + 3 - math.Abs(a.X-b.X)
				upper, lower := boxes[i], boxes[j]
				if a.Y > b.Y {
					upper, lower = lower, upper
				}
				high := upper.below + lower.above - math.Abs(a.Y-b.Y)
				if wide <= 0 || high <= 0 {
					continue
				}
				moved = true
				if wide < high {
					push := math.Copysign(wide/2+0.1, a.X-b.X)
					a.X, b.X = a.X+push, b.X-push
				} else {
					push := math.Copysign(high/2+0.1, a.Y-b.Y)
					a.Y, b.Y = a.Y+push, b.Y-push
				}
			}
		}
		if !moved {
			return
		}
	}
}

// crossings counts the pairs of lines that cross. Between equal counts, shorter lines score lower.
func crossings(points []Point, pairs [][2]int32) float64 {
	n, long := 0.0, 0.0
	turn := func(a, b, c Point) bool { return (b.X-a.X)*(c.Y-a.Y) > (b.Y-a.Y)*(c.X-a.X) }
	for i, p := range pairs {
		a, b := points[p[0]], points[p[1]]
		long += math.Hypot(a.X-b.X, a.Y-b.Y)
		for _, q := range pairs[:i] {
			if p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1] {
				continue
			}
			c, d := points[q[0]], points[q[1]]
			if turn(a, b, c) != turn(a, b, d) && turn(c, d, a) != turn(c, d, b) {
				n++
			}
		}
	}
	return n + long/1e6
}

// close draws the outline around the boxes of a region and its name above them.
func (r *region) close(boxes []box, name string) {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for i, p := range r.points {
		low = Point{min(low.X, p.X-boxes[i].half), min(low.Y, p.Y-boxes[i].above)}
		high = Point{max(high.X, p.X+boxes[i].half), max(high.Y, p.Y+boxes[i].below)}
	}
	low.Y -= titleHeight
	middle := Point{(low.X + high.X) / 2, (low.Y + high.Y) / 2}
	r.title = Point{0, low.Y + titleHeight/2 - 2 - middle.Y}
	half := titleLetter * float64(min(len([]rune(name)), longest))
	corners := []Point{{-half, r.title.Y - 8}, {half, r.title.Y - 8}, {-half, r.title.Y + 8}, {half, r.title.Y + 8}}
	for i, p := range r.points {
		p = Point{p.X - middle.X, p.Y - middle.Y}
		r.points[i] = p
		b := boxes[i]
		corners = append(corners, Point{p.X - b.half, p.Y - b.above}, Point{p.X + b.half, p.Y - b.above}, Point{p.X - b.half, p.Y + b.below}, Point{p.X + b.half, p.Y + b.below})
	}
	var far [sides]float64
	for k, d := range direction {
		for _, c := range corners {
			far[k] = max(far[k], c.X*d.X+c.Y*d.Y)
		}
		far[k] += pad
	}
	for range 2 {
		for k := range far {
			r.far[k] = (far[(k+sides-1)%sides] + 2*far[k] + far[(k+1)%sides]) / 4
		}
		far = r.far
	}
	r.reach = slices.Max(r.far[:])
}

// moved returns a point of the region in the overview.
func (r *region) moved(p Point) Point {
	return Point{math.Round(p.X + r.at.X), math.Round(p.Y + r.at.Y)}
}

// outline returns the curve around the region: where the lines meet that touch it in
// each direction.
func (r *region) outline() []Point {
	out := make([]Point, sides)
	step := 2 * math.Pi / sides
	for k, d := range direction {
		slope := (r.far[(k+1)%sides] - r.far[(k+sides-1)%sides]) / (2 * step)
		out[k] = r.moved(Point{r.far[k]*d.X - slope*d.Y, r.far[k]*d.Y + slope*d.X})
	}
	return out
}

// holds reports whether a point of the overview lies in the region.
func (r *region) holds(p Point) bool {
	for k, d := range direction {
		if (p.X-r.at.X)*d.X+(p.Y-r.at.Y)*d.Y > r.far[k] {
			return false
		}
	}
	return true
}

// apart returns the distance between two regions, negative if they overlap, and the direction of the second.
func (r *region) apart(o *region) (float64, Point) {
	dx, dy := o.at.X-r.at.X, o.at.Y-r.at.Y
	if far := math.Hypot(dx, dy); far > r.reach+o.reach+4*between {
		return far - r.reach - o.reach, Point{dx / far, dy / far}
	}
	most, way := math.Inf(-1), Point{1, 0}
	for k, d := range direction {
		if s := dx*d.X + dy*d.Y - r.far[k] - o.far[(k+sides/2)%sides]; s > most {
			most, way = s, d
		}
	}
	return most, way
}

// gather places regions about the middle, largest first, then pulls them together while
// it pushes apart those that come too near.
func gather(regions []region) {
	discs := make([]disc, len(regions))
	for i := range regions {
		discs[i].r = regions[i].reach
	}
	pack(discs)
	for i := range regions {
		regions[i].at = discs[i].Point
	}
	const pulls, most = 90, 2_000
	for round := range most {
		if round < pulls {
			for i := range regions {
				at := &regions[i].at
				at.X, at.Y = at.X*0.985, at.Y*0.975 // the picture is wider than it is high
			}
		}
		if !spaced(regions) && round >= pulls {
			break
		}
	}
	for i := range regions {
		regions[i].at = Point{math.Round(regions[i].at.X), math.Round(regions[i].at.Y)}
	}
}

// spaced pushes each two regions apart that are too near, and reports whether any were.
func spaced(regions []region) bool {
	moved := false
	for i := range regions {
		for j := range i {
			a, b := &regions[j], &regions[i]
			gap, way := a.apart(b)
			if gap >= between-1 {
				continue
			}
			moved = true
			by := (between - gap) / 2
			a.at = Point{a.at.X - way.X*by, a.at.Y - way.Y*by}
			b.at = Point{b.at.X + way.X*by, b.at.Y + way.Y*by}
		}
	}
	return moved
}

// Tints is how many tints tell places apart.
const Tints = 4

// tint gives each region a tint that none of its neighbours has. Regions count as
// neighbours up to a distance at which four tints suffice.
func tint(regions []region) []int {
	for near := 4.0; ; near-- {
		next := make([][]int, len(regions))
		for i := range regions {
			for j := range i {
				if gap, _ := regions[j].apart(&regions[i]); gap < near*between {
					next[i], next[j] = append(next[i], j), append(next[j], i)
				}
			}
		}
		of := make([]int, len(regions))
		for i := range of {
			of[i] = -1
		}
		tries := 20_000
		if paint(next, of, &tries) {
			return of
		}
	}
}

// paint gives a tint to the region with the fewest left to choose from, and so on, and
// takes it back where that leaves another without any.
func paint(next [][]int, of []int, tries *int) bool {
	at, fewest := -1, Tints+1
	var free [Tints]bool
	for i, tint := range of {
		if tint >= 0 {
			continue
		}
		left, n := [Tints]bool{true, true, true, true}, Tints
		for _, j := range next[i] {
			if of[j] >= 0 && left[of[j]] {
				left[of[j]] = false
				n--
			}
		}
		if n < fewest || n == fewest && len(next[i]) > len(next[at]) {
			at, fewest, free = i, n, left
		}
	}
	if at < 0 {
		return true
	}
	for k := range Tints {
		tint := (at + k) % Tints // so that all are used
		if !free[tint] {
			continue
		}
		if *tries--; *tries < 0 {
			break
		}
		of[at] = tint
		if paint(next, of, tries) {
			return true
		}
	}
	of[at] = -1
	return false
}
