package explore

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The limits of a neighbourhood.
const (
	MaxSteps = 3
	MaxNodes = 300
	MaxEdges = 1_500

	maxOpen  = 20 // opened entities
	readable = 48 // entities that two steps may show without being asked for
	fan      = 24 // entities shown at each opened entity
)

// A Query asks for the neighbourhood of some entities.
type Query struct {
	Filter
	At    []domain.EntityID // the centre
	Steps int               // around the centre; 0 chooses one or two, whichever is readable
	Open  []domain.EntityID // entities whose neighbours are shown too, in the order they were opened
	Path  []domain.EntityID // shown even if they are further away
	Pins  map[domain.EntityID]Point
	Limit int // of entities around the centre; 0 is MaxNodes
}

// Around returns the entities around the centre with the relations among them.
// It returns the steps taken too.
func (g *Graph) Around(q Query) (View, int) {
	q.Steps = min(q.Steps, MaxSteps)
	m := g.mask(q.Filter)
	centre, path := g.indices(q.At), g.indices(q.Path)
	for _, n := range append(slices.Clone(centre), path...) {
		m.entities[n] = true // what one asks for is shown, whatever the filter
	}
	if q.Limit == 0 {
		q.Limit = MaxNodes
	}
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
	v := View{Edges: edges, Relations: all, Found: len(s.counted)}
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
	counted map[int32]bool  // all that belong here, members or not
	rim     []int32         // reached by the last step, members or not
}

func (s *selection) take(list []int32, depth int) {
	for _, n := range list {
		s.counted[n] = true
		if _, in := s.depth[n]; in || len(s.members) >= s.limit {
			continue
		}
		s.depth[n] = depth
		s.members = append(s.members, n)
	}
	s.rim = list
}

// candidate is an entity that a step reaches.
type candidate struct {
	n        int32
	evidence int // of its relations with what is shown
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
	out := make([]int32, len(order))
	for i, c := range order {
		out[i] = c.n
	}
	return out
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

// accompany takes what is tied to the centre.
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
