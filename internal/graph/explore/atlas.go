package explore

import (
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// The limits of the whole.
const (
	MaxAll   = 30_000 // entities drawn at once
	MaxLines = 90_000 // edges drawn at once
)

// aside is the room of a loose entity, in pixels at its natural size.
const aside = 52.0

// unit is the distance between entities of a community, in pixels at its
// natural size.
const unit = 15.0

// atlas is the graph divided into communities, with everything's position. It
// takes seconds to lay out a large graph, so it is made when it is asked for.
type atlas struct {
	places []place
	in     []int32 // the place of each entity
	points []Point // of entities
}

// place is a community with its members, heaviest first.
type place struct {
	disc
	members []int32
	loose   bool
}

// divide divides the graph, once.
func (g *Graph) divide() {
	g.dividing.Do(func() {
		groups, loose := g.communities(g.ties())
		for _, members := range groups {
			g.places = append(g.places, place{members: members})
		}
		if len(loose) > 0 {
			g.places = append(g.places, place{members: loose, loose: true})
		}
		g.in = make([]int32, len(g.entities))
		for i, p := range g.places {
			for _, n := range p.members {
				g.in[n] = int32(i)
			}
		}
	})
}

// draw lays the atlas out, once.
func (g *Graph) draw() {
	g.divide()
	g.lay.Do(func() {
		discs := make([]disc, 0, len(g.places))
		for _, p := range g.places {
			if !p.loose { // the last one
				discs = append(discs, disc{r: radius(len(p.members))})
			}
		}
		pack(discs)
		g.points = make([]Point, len(g.entities))
		for i := range discs {
			g.places[i].disc = discs[i]
			g.settle(int32(i))
		}
	})
}

// radius returns the radius of a place.
func radius(members int) float64 { return unit * (math.Sqrt(float64(members)) + 0.6) }

// settle sets the points of a place's members.
func (g *Graph) settle(at int32) {
	p := g.places[at]
	index := make(map[int32]int32, len(p.members))
	for i, n := range p.members {
		index[n] = int32(i)
	}
	var pairs [][2]int32
	for i, n := range p.members {
		for _, rel := range g.incident.of(n) {
			r := g.relations[rel]
			if j, inside := index[r.target]; inside && r.source == n && j != int32(i) {
				pairs = append(pairs, [2]int32{int32(i), j})
			}
		}
	}
	ties := g.ties()
	for i, n := range p.members {
		for _, at := range g.tiesOf.of(n) {
			if j, inside := index[ties[at].b]; inside && ties[at].a == n {
				pairs = append(pairs, [2]int32{int32(i), j})
			}
		}
	}
	points := fit(settle(len(p.members), pairs))
	r := p.r - unit*0.8
	for i, n := range p.members {
		g.points[n] = Point{math.Round(p.X + points[i].X*r), math.Round(p.Y + points[i].Y*r)}
	}
}

// among returns the members that pass.
func (m mask) among(members []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(members), func(n int32) bool { return !m.entities[n] || m.loose(n) })
}

// loose reports whether nothing that passes the filter joins n to others.
func (m mask) loose(n int32) bool {
	return m.g.places[m.g.in[n]].loose || !m.filter.Together && len(m.g.incident.of(n)) == 0
}

// apart returns the loose entities that pass, heaviest first.
func (m mask) apart() []int32 {
	list := slices.DeleteFunc(m.members(), func(n int32) bool { return !m.loose(n) })
	slices.SortFunc(list, m.g.byWeight)
	return list
}

// Community returns the members of the community that an entity belongs to,
// with the relations among them.
func (g *Graph) Community(f Filter, of domain.EntityID) View {
	g.draw()
	n, ok := g.at[of]
	if !ok {
		return View{}
	}
	m := g.mask(f)
	if m.loose(n) {
		return g.spread(m)
	}
	members := m.among(g.places[g.in[n]].members)
	return g.cut(m, members, MaxNodes, MaxEdges)
}

// spread returns the loose entities side by side.
func (g *Graph) spread(m mask) View {
	v := g.cut(m, m.apart(), MaxNodes, MaxEdges)
	for i, p := range sunflower(len(v.Nodes)) {
		v.Nodes[i].Point = Point{math.Round(p.X * 2 * aside), math.Round(p.Y * aside)} // names are wide
	}
	return v
}

// All returns the whole graph without loose entities, up to MaxAll entities and MaxLines edges.
// If nothing else is there, it returns that.
func (g *Graph) All(f Filter) View {
	g.draw()
	m := g.mask(f)
	members := m.members()
	all := len(members)
	members = slices.DeleteFunc(members, m.loose)
	if len(members) == 0 {
		return g.spread(m)
	}
	apart := all - len(members)
	if len(members) > MaxAll {
		slices.SortFunc(members, g.byWeight)
	}
	v := g.cut(m, members, MaxAll, MaxLines)
	if v.Loose = apart; apart > 0 {
		v.LooseLead = g.entities[m.apart()[0]].id
	}
	return v
}

// cut returns the first of some members at their places in the atlas.
func (g *Graph) cut(m mask, members []int32, nodes, lines int) View {
	v := View{Found: len(members)}
	members = members[:min(len(members), nodes)]
	v.Nodes = lists.Map(members, func(n int32) Node { return g.node(n, 0, g.points[n]) })
	v.Edges, v.Relations = m.edges(members, lines, nil)
	v.Turns = m.turns(members)
	return v
}

// Part returns the heaviest entities that pass the filter, at most limit, in a layout of their own.
func (g *Graph) Part(f Filter, limit int) View {
	m := g.mask(f)
	return g.arrange(m, m.members(), limit, nil)
}

// Related is Part without the entities that have no relation in it. Some entities go
// before the heaviest.
func (g *Graph) Related(f Filter, limit int, first ...domain.EntityID) View {
	m := g.mask(f)
	members := slices.DeleteFunc(m.members(), func(n int32) bool {
		related := false
		m.neighbours(n, func(relation, int32) { related = true })
		return !related
	})
	return g.arrange(m, members, limit, g.indices(first))
}

// arrange lays out the first and the heaviest of some members: connected members stay
// together, and the connected parts stand side by side.
func (g *Graph) arrange(m mask, members []int32, limit int, first []int32) View {
	v := View{Found: len(members)}
	slices.SortFunc(members, g.byWeight)
	slices.SortStableFunc(members, func(a, b int32) int {
		switch before, after := slices.Contains(first, a), slices.Contains(first, b); {
		case before == after:
			return 0
		case before:
			return -1
		}
		return 1
	})
	members = members[:min(len(members), limit)]
	v.Edges, v.Relations = m.edges(members, MaxEdges, nil)
	v.Turns = m.turns(members)
	parts := connected(len(members), v.Edges)
	discs := make([]disc, len(parts))
	for i, p := range parts {
		discs[i].r = 34 * math.Sqrt(float64(len(p)))
	}
	pack(discs)
	v.Nodes = make([]Node, len(members))
	for i, p := range parts {
		at := map[int]int32{}
		for k, n := range p {
			at[n] = int32(k)
		}
		var pairs [][2]int32
		for _, e := range v.Edges {
			if a, inside := at[e.A]; inside {
				pairs = append(pairs, [2]int32{a, at[e.B]})
			}
		}
		for k, point := range fit(settle(len(p), pairs)) {
			to := Point{discs[i].X + point.X*(discs[i].r-12), discs[i].Y + point.Y*(discs[i].r-12)}
			v.Nodes[p[k]] = g.node(members[p[k]], 0, to)
		}
	}
	return v
}

// connected divides n nodes into parts without an edge between them, the
// largest first.
func connected(n int, edges []Edge) [][]int {
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	root := func(i int) int {
		for of[i] != i {
			i = of[i]
		}
		return i
	}
	for _, e := range edges {
		if a, b := root(e.A), root(e.B); a != b {
			of[max(a, b)] = min(a, b)
		}
	}
	at := map[int]int{}
	var parts [][]int
	for i := range n {
		r := root(i)
		k, known := at[r]
		if !known {
			k = len(parts)
			at[r] = k
			parts = append(parts, nil)
		}
		parts[k] = append(parts[k], i)
	}
	slices.SortStableFunc(parts, func(a, b []int) int { return len(b) - len(a) })
	return parts
}
