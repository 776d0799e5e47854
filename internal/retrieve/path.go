package retrieve

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The methods of a hop.
const (
	byName     = "name"     // the question contains the name
	byMention  = "mention"  // both passages mention the name
	byTitle    = "title"    // the name is the title of the next passage
	byRelation = "relation" // a relation connects the name to the one before
)

// maxHops bounds the length of a path.
const maxHops = 4

// tracer follows a walk backwards along the edges that brought the most mass.
type tracer struct {
	*snapshot
	walk    *walk
	named   []int32 // names of the question
	damping float32
}

// path returns the walk's route to a chunk. A route from a name in the question
// is always returned; a route from another passage only if the chunk's own words
// contributed less.
func (t *tracer) path(chunk int32) []domain.Hop {
	var hops []domain.Hop
	seen := []int32{chunk}
	alone := false
	for len(hops) < maxHops {
		e, ok := t.entrance(chunk, seen)
		if !ok {
			break
		}
		if !t.isNamed(e.name) && t.broughtByWords(chunk, e) {
			if len(hops) > 0 {
				break
			}
			alone = true
		}
		hop := domain.Hop{Entity: t.names[e.name].entity, Name: t.names[e.name].name, Method: methodOf(e.link)}
		switch {
		case t.isNamed(e.name):
			hop.Method = byName
			hops = append(hops, hop)
			slices.Reverse(hops)
			return hops
		case int(e.from) < len(t.chunks):
			hop.From = t.chunks[e.from].ID
			hops = append(hops, hop)
		default:
			hop.Method = byRelation
			n := t.names[int(e.from)-len(t.chunks)]
			hops = append(hops, hop, domain.Hop{Entity: n.entity, Name: n.name, Method: byName})
			slices.Reverse(hops)
			return hops
		}
		chunk = e.from
		seen = append(seen, chunk)
	}
	if alone {
		return nil
	}
	slices.Reverse(hops)
	return hops
}

func methodOf(l link) string {
	if l.isTitle() {
		return byTitle
	}
	return byMention
}

func (t *tracer) isNamed(name int32) bool { return slices.Contains(t.named, name) }

// broughtByWords reports whether more mass started at a chunk than came through
// its entrance.
func (t *tracer) broughtByWords(chunk int32, e entrance) bool {
	return t.damping*t.damping*e.flow < (1-t.damping)*t.walk.seed[chunk]
}

// entrance is a route into a chunk: over one of its names, from another chunk or
// another name.
type entrance struct {
	link
	from int32   // node before the name; unused for a name in the question
	flow float32 // mass arriving over this route in two steps
}

// entrance returns the route that brought a chunk the most mass, preferring
// routes over a name in the question.
func (t *tracer) entrance(chunk int32, seen []int32) (best entrance, ok bool) {
	named := false
	for _, l := range t.linksOf(chunk) {
		is := t.isNamed(l.name)
		if named && !is {
			continue
		}
		e := entrance{link: l, from: -1}
		if is {
			e.flow = t.chance(t.node(l.name), chunk) * t.walk.mass[t.node(l.name)]
		} else if from, mass := t.origin(l.name, seen); from >= 0 {
			e.from, e.flow = from, t.chance(t.node(l.name), chunk)*mass
		}
		if e.flow > 0 && (e.flow > best.flow || is && !named) {
			best, ok, named = e, true, is
		}
	}
	return best, ok
}

// origin returns the node that brought a name the most mass, among unseen chunks
// and names in the question, or -1 if there is none.
func (t *tracer) origin(name int32, seen []int32) (from int32, mass float32) {
	from = -1
	node := t.node(name)
	for _, e := range t.matrix.neighbours(node) {
		n := e.node
		if m := e.chance * t.walk.mass[n]; m > mass && !slices.Contains(seen, n) && (int(n) < len(t.chunks) || t.isNamed(n-int32(len(t.chunks)))) {
			from, mass = n, m
		}
	}
	return from, mass
}

// chance returns the probability of stepping from one node to another.
func (t *tracer) chance(from, to int32) float32 {
	for _, e := range t.matrix.neighbours(to) {
		if e.node == from {
			return e.chance
		}
	}
	return 0
}
