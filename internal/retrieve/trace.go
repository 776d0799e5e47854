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
	*patch
	named []int32 // names of the question
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
		case e.before >= 0:
			hop.From = t.chunks[e.before].ID
			hops = append(hops, hop)
		default:
			hop.Method = byRelation
			n := t.names[e.related]
			hops = append(hops, hop, domain.Hop{Entity: n.entity, Name: n.name, Method: byName})
			slices.Reverse(hops)
			return hops
		}
		chunk = e.before
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
	d := t.tuning.damping
	return d*d*e.flow < (1-d)*t.chunks[chunk].seed
}

// origin is where the mass of a name came from: another chunk, or else a related name.
type origin struct {
	before, related int32 // -1 if there is none
	mass            float64
}

// entrance is a route into a chunk: over one of its names, from the name's origin.
type entrance struct {
	link
	origin         // zero for a name in the question
	flow   float64 // mass arriving over this route in two steps
}

// entrance returns the route that brought a chunk the most mass, preferring
// routes over a name in the question.
func (t *tracer) entrance(chunk int32, seen []int32) (best entrance, ok bool) {
	named := false
	for _, l := range t.chunks[chunk].links {
		is := t.isNamed(l.name)
		n := &t.names[l.name]
		if named && !is || n.degree == 0 {
			continue
		}
		e := entrance{link: l, origin: origin{-1, -1, n.mass}}
		if !is {
			e.origin = t.origin(l.name, seen)
		}
		e.flow = t.weight(l) / n.degree * e.mass
		if e.flow > 0 && (e.flow > best.flow || is && !named) {
			best, ok, named = e, true, is
		}
	}
	return best, ok
}

// origin returns where most of the mass of a name came from, among unseen chunks and names in the question.
func (t *tracer) origin(name int32, seen []int32) origin {
	best := origin{-1, -1, 0}
	for _, l := range t.names[name].from {
		c := &t.chunks[l.chunk]
		if m := t.weight(l) / c.degree * c.mass; m > best.mass && !slices.Contains(seen, l.chunk) {
			best = origin{l.chunk, -1, m}
		}
	}
	for _, other := range t.named {
		n, each := &t.names[other], 0
		for _, r := range n.related {
			if r == name {
				each++
			}
		}
		if m := float64(each) * t.tuning.relation / max(n.degree, 1) * n.mass; m > best.mass {
			best = origin{-1, other, m}
		}
	}
	return best
}
