package explore

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// The limits of a neighbourhood.
const (
	MaxSteps = 3
	MaxNodes = 300
	MaxEdges = 1_500

	maxOpen  = 20 // opened entities
	readable = 48 // entities that two steps may show unless more were requested
	fan      = 24 // entities shown at each opened entity
)

// A Query asks for the neighbourhood of some entities.
type Query struct {
	Filter
	At    []domain.EntityID // the centre
	Steps int               // from the centre; 0 chooses one or two, whichever is readable
	Open  []domain.EntityID // entities whose neighbours are shown too, in the order they were opened
	Path  []domain.EntityID // shown even if they are further away
	Pins  map[domain.EntityID]Point
	Limit int // of entities around the centre; 0 means MaxNodes
}

// Around returns the entities around the centre with the relations among them.
// It returns the steps taken too.
func (g *Graph) Around(q Query) (View, int) {
	q.Steps = min(q.Steps, MaxSteps)
	m := g.mask(q.Filter)
	centre, path := g.indices(q.At), g.indices(q.Path)
	for _, n := range append(slices.Clone(centre), path...) {
		m.entities[n] = true // requested entities are shown regardless of the filter
	}
	q.Limit = cmp.Or(q.Limit, MaxNodes)
	s := selection{limit: q.Limit, mask: m, depth: map[int32]int{}, from: map[int32]int32{}, counted: map[int32]bool{}}
	s.take(centre, 0)
	if q.Steps == 0 {
		q.Steps = either(s.within(2) <= readable, 2, 1)
	}
	for step := 1; step <= q.Steps; step++ {
		s.widen(step)
	}
	s.accompany(centre)
	s.follow(path)
	base := len(s.members)
	opened := g.indices(q.Open)
	for _, n := range opened[:min(len(opened), maxOpen)] {
		s.open(n)
	}
	edges, all := m.edges(s.members, MaxEdges, func(a, b int32) bool { return s.from[a] == b || s.from[b] == a })
	l := radial{selection: &s, edges: edges, base: base, centres: len(centre)}
	points := l.layout()
	v := View{Edges: edges, Relations: all, Turns: m.turns(s.members), Found: len(s.counted)}
	for i, n := range s.members {
		at := points[i]
		if pin, ok := q.Pins[g.entities[n].id]; ok {
			at = pin
		}
		v.Nodes = append(v.Nodes, g.node(n, s.depth[n], at))
	}
	return v, q.Steps
}

// selection grows from the centre outwards.
type selection struct {
	mask
	limit   int
	members []int32
	depth   map[int32]int   // of members
	from    map[int32]int32 // the member by which each was reached
	counted map[int32]bool  // all that belong here, including non-members
	rim     []int32         // members reached by the last step
}

func (s *selection) take(list []int32, depth int) {
	s.rim = nil
	for _, n := range list {
		s.counted[n] = true
		if _, in := s.depth[n]; in || len(s.members) >= s.limit {
			continue
		}
		s.depth[n] = depth
		s.members, s.rim = append(s.members, n), append(s.rim, n)
	}
}

// candidate is an entity that a step reaches.
type candidate struct {
	n        int32
	evidence int // of its relations with shown entities
}

// beyond returns the entities that a step from list reaches, the best connected
// first. Those already counted are left out.
func (s *selection) beyond(list []int32) []int32 {
	found := map[int32]int{}
	for _, n := range list {
		s.neighbours(n, func(r relation, other int32) {
			if !s.counted[other] {
				found[other] += r.evidence
			}
		})
	}
	order := make([]candidate, 0, len(found))
	for n, evidence := range found {
		order = append(order, candidate{n, evidence})
	}
	slices.SortFunc(order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.evidence, a.evidence), s.g.byWeight(a.n, b.n))
	})
	return lists.Map(order, func(c candidate) int32 { return c.n })
}

// within counts the entities within steps steps of the centre, and stops when
// there are more than are readable.
func (s *selection) within(steps int) int {
	seen := map[int32]bool{}
	rim := s.rim
	for range steps {
		var next []int32
		for _, n := range rim {
			s.neighbours(n, func(_ relation, other int32) {
				if !seen[other] {
					seen[other] = true
					next = append(next, other)
				}
			})
			if len(seen) > readable {
				return len(seen)
			}
		}
		rim = next
	}
	return len(seen)
}

// widen takes one more step.
func (s *selection) widen(step int) {
	next := s.beyond(s.rim)
	s.take(next, step)
	for _, n := range next {
		s.attach(n)
	}
}

// attach records the member nearest to the centre through which n was reached,
// the one with most evidence if there are several.
func (s *selection) attach(n int32) {
	if _, in := s.depth[n]; !in {
		return
	}
	best, most := int32(-1), 0
	s.neighbours(n, func(r relation, other int32) {
		d, in := s.depth[other]
		if !in || d >= s.depth[n] {
			return
		}
		if best < 0 || r.evidence > most || r.evidence == most && other < best {
			best, most = other, r.evidence
		}
	})
	if best >= 0 {
		s.from[n] = best
	}
}

// accompany adds the entities tied to the centre.
func (s *selection) accompany(centre []int32) {
	tied := s.companions(centre)
	s.take(tied, 1)
	for _, n := range tied {
		if _, placed := s.from[n]; !placed && s.depth[n] == 1 {
			s.from[n] = centre[0]
		}
	}
}

// follow takes the entities of a path.
func (s *selection) follow(path []int32) {
	for i, n := range path {
		if _, in := s.depth[n]; in || i == 0 {
			continue
		}
		s.counted[n] = true
		s.depth[n] = s.depth[path[i-1]] + 1
		s.from[n] = path[i-1]
		s.members = append(s.members, n)
	}
}

// open takes the neighbours of a member.
func (s *selection) open(n int32) {
	if _, in := s.depth[n]; !in {
		return
	}
	next := s.beyond([]int32{n})
	for i, other := range next {
		s.counted[other] = true
		if i < fan {
			s.depth[other], s.from[other] = s.depth[n]+1, n
			s.members = append(s.members, other)
		}
	}
}

// The measures of a neighbourhood, in pixels at its natural size.
const (
	firstRing = 170.0
	nextRing  = 138.0
	spacing   = 50.0 // between neighbours on a ring
	row       = 40.0 // between the rows of a crowded ring
	maxRows   = 3
	fanFrom   = 84.0 // from an opened entity to its own
)

// radial lays a neighbourhood out on rings about its centre. Each entity is placed outside the one it was reached from,
// in a sector as wide as it needs; entities on the first ring are placed beside those they are connected with. The
// neighbours of opened entities are placed around them where there is room, so that nothing else moves.
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

// count returns the number of members at the ends of branches beyond n.
func (l *radial) count(n int32) int {
	l.leaves[n] = max(1, lists.Sum(l.children[n], l.count))
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
	return !slices.ContainsFunc(l.points[:placed], func(q Point) bool { return math.Hypot(p.X-q.X, p.Y-q.Y) < spacing*0.9 })
}

// MaxHops is the maximum number of relations in a path.
const MaxHops = 6

// Path returns a shortest chain of relations between two entities, with both
// ends, or nil if none of at most MaxHops relations passes the filter. Among
// several it takes the entities that most is known about.
func (g *Graph) Path(f Filter, from, to domain.EntityID) []domain.EntityID {
	ends := g.indices([]domain.EntityID{from, to})
	if len(ends) < 2 {
		return nil
	}
	m := g.mask(f)
	m.entities[ends[0]], m.entities[ends[1]] = true, true
	back := map[int32]int32{ends[0]: ends[0]}
	rim := []int32{ends[0]}
	for range MaxHops {
		rim = m.reach(rim, back)
		if _, reached := back[ends[1]]; reached {
			break
		}
	}
	if _, reached := back[ends[1]]; !reached {
		return nil
	}
	var path []domain.EntityID
	for n := ends[1]; ; n = back[n] {
		path = append(path, g.entities[n].id)
		if n == ends[0] {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// reach takes a step from the rim, records in back where each entity was
// reached from, and returns the next rim, heaviest first.
func (m mask) reach(rim []int32, back map[int32]int32) []int32 {
	var next []int32
	for _, n := range rim {
		m.neighbours(n, func(_ relation, other int32) {
			if _, seen := back[other]; !seen {
				back[other] = n
				next = append(next, other)
			}
		})
	}
	slices.SortFunc(next, m.g.byWeight)
	return next
}

// A Way is a shortest chain of relations from one entity to another.
type Way struct {
	Other domain.Entity   // its target; zero if no entity has the name
	Also  []domain.Entity // others that may be meant
	Hops  []Hop           // empty if no chain of at most MaxHops relations leads there
}

// A Hop is one relation of a way.
type Hop struct {
	Relation
	Back bool // it points from Other to the entity before
}

// maxNamesakes is the maximum number of entities of one name that may be meant.
const maxNamesakes = 5

// Way returns a way that passes a filter from an entity to the one called to, the most mentioned one if
// several have the name.
func (r Reader) Way(ctx context.Context, f Filter, from domain.EntityID, to string) (Way, error) {
	w := domain.WorkspaceOf(ctx)
	found, _, err := r.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: to, Limit: maxNamesakes})
	if err != nil || len(found) == 0 {
		return Way{}, err
	}
	way := Way{Other: found[0], Also: found[1:]}
	g, path, err := r.chain(ctx, f, from, way.Other.ID)
	if err != nil {
		return way, err
	}
	if len(path) == 0 {
		return way, nil
	}
	var refs []graphstore.RelationRef
	m := g.mask(f)
	for i := 1; i < len(path); i++ {
		refs = append(refs, m.between(path[i-1], path[i]))
	}
	if len(refs) == 0 {
		return way, nil
	}
	stated, err := r.Graph.Stated(ctx, w, refs)
	for i, ref := range refs {
		at := slices.IndexFunc(stated, func(e graphstore.Edge) bool { return e.ID == ref.ID })
		if at < 0 {
			return Way{Other: way.Other, Also: way.Also}, err // it has changed in the meantime
		}
		way.Hops = append(way.Hops, Hop{RelationOf(stated[at], path[i]), ref.Source != path[i]})
	}
	return way, err
}

// between returns the best supported relation that passes a filter between two entities that have one.
func (m mask) between(a, b domain.EntityID) graphstore.RelationRef {
	g, best := m.g, relation{evidence: -1}
	for _, at := range g.incident.of(g.at[a]) {
		if r := g.relations[at]; r.other(g.at[a]) == g.at[b] && r.evidence > best.evidence && m.passes(r) {
			best = r
		}
	}
	source, target := g.entities[best.source].id, g.entities[best.target].id
	return graphstore.RelationRef{ID: domain.NewRelationID(source, best.kind, target), Source: source, Target: target}
}
