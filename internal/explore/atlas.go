package explore

import (
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The limits of the overview and of the whole.
const (
	MaxPlaces = 80     // communities in the overview
	MaxAll    = 30_000 // entities drawn at once
	MaxLines  = 90_000 // edges drawn at once

	maxLoose = 60 // entities without a relation that get as much room as others

	named = 3 // members that name a place
	dots  = 9 // members drawn in a place
)

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

// draw lays the atlas out, once.
func (g *Graph) draw() {
	g.lay.Do(func() {
		groups, loose := g.divided()
		for _, members := range groups {
			g.places = append(g.places, place{members: members})
		}
		if len(loose) > 0 {
			g.places = append(g.places, place{members: loose, loose: true})
		}
		g.in = make([]int32, len(g.entities))
		discs := make([]disc, len(g.places))
		for i, p := range g.places {
			for _, n := range p.members {
				g.in[n] = int32(i)
			}
			room := float64(len(p.members))
			if p.loose {
				room = min(room, maxLoose+room/maxLoose)
			}
			discs[i].r = unit * (math.Sqrt(room) + 0.6)
		}
		pack(discs)
		g.points = make([]Point, len(g.entities))
		for i := range g.places {
			g.places[i].disc = discs[i]
			g.settle(int32(i))
		}
	})
}

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
	points := sunflower(len(p.members))
	if !p.loose {
		points = settle(len(p.members), pairs)
	}
	points = fit(points)
	r := p.r - unit*0.8
	for i, n := range p.members {
		g.points[n] = Point{math.Round(p.X + points[i].X*r), math.Round(p.Y + points[i].Y*r)}
	}
}

// Overview returns the communities as places, largest first, the few weightiest
// entities of each, and the edges between places, from lead to lead. Found
// counts all communities.
func (g *Graph) Overview(f Filter) View {
	g.draw()
	m := g.mask(f)
	var v View
	at := make([]int, len(g.places))
	for i, p := range g.places {
		at[i] = -1
		members := m.among(p.members)
		if len(members) == 0 {
			continue
		}
		v.Found++
		if len(v.Places) == MaxPlaces {
			continue
		}
		at[i] = len(v.Places)
		v.Places = append(v.Places, g.place(p, members))
		for _, n := range members[:min(len(members), dots)] {
			v.Nodes = append(v.Nodes, g.node(n, 0, g.points[n]))
		}
	}
	v.Edges, v.Relations = m.between(at)
	return v
}

// among returns the members that pass.
func (m mask) among(members []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(members), func(n int32) bool { return !m.entities[n] })
}

func (g *Graph) place(p place, members []int32) Place {
	out := Place{Lead: g.entities[members[0]].id, Members: len(members), Loose: p.loose, Point: p.Point, Radius: p.r}
	for _, n := range members[:min(len(members), named)] {
		out.Names = append(out.Names, g.entities[n].name)
	}
	return out
}

// between returns the edges between places, with their relations counted.
func (m mask) between(at []int) ([]Edge, int) {
	count := map[[2]int]int{}
	all := 0
	for _, r := range m.g.relations {
		a, b := at[m.g.in[r.source]], at[m.g.in[r.target]]
		if a != b && a >= 0 && b >= 0 && m.passes(r) {
			count[[2]int{min(a, b), max(a, b)}]++
			all++
		}
	}
	edges := make([]Edge, 0, len(count))
	for pair, n := range count {
		edges = append(edges, Edge{A: pair[0], B: pair[1], Evidence: n})
	}
	slices.SortFunc(edges, byEnds)
	return edges, all
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
	members := m.among(g.places[g.in[n]].members)
	return g.cut(m, members, MaxNodes, MaxEdges)
}

// All returns the whole graph, up to MaxAll entities and MaxLines edges.
func (g *Graph) All(f Filter) View {
	g.draw()
	m := g.mask(f)
	members := m.members()
	if len(members) > MaxAll {
		slices.SortFunc(members, g.byWeight)
	}
	return g.cut(m, members, MaxAll, MaxLines)
}

// cut returns the first of some members where they stand in the atlas.
func (g *Graph) cut(m mask, members []int32, nodes, lines int) View {
	v := View{Found: len(members)}
	members = members[:min(len(members), nodes)]
	for _, n := range members {
		v.Nodes = append(v.Nodes, g.node(n, 0, g.points[n]))
	}
	v.Edges, v.Relations = m.edges(members, lines, nil)
	return v
}

// Part returns the heaviest entities that pass the filter, at most limit, laid out
// by themselves.
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

// arrange lays out the first and the heaviest of some members: what is connected hangs
// together, and the parts stand side by side.
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
