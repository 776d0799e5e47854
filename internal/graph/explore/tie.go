package explore

import (
	"cmp"
	"math"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The bounds of ties. They hold in a library of any size.
const (
	leastTogether = 2   // passages
	leastStrength = 0.3 // of a tie, which is at most 1
	maxTied       = 5   // ties of an entity, the strongest
	crowd         = 60  // entities of a passage; one with more is a list, whose entries have nothing to do with each other

	maxTies = 1_500 // drawn in a view, the strongest
)

// tie joins two entities without a relation that passages mention together more
// often than by chance. Its strength is normalised pointwise mutual information: 0 if
// the passages of one are independent of those of the other, 1 if they are the same.
type tie struct {
	a, b     int32 // a < b
	passages int
	strength float64
}

// ties returns the ties of the graph, strongest first, computed once.
func (g *Graph) ties() []tie {
	g.tying.Do(func() {
		var at lister
		for _, t := range g.bounded(g.together()) {
			n := int32(len(g.tied))
			g.tied = append(g.tied, t)
			at.add(t.a, n)
			at.add(t.b, n)
		}
		g.tiesOf = at.lists(len(g.entities))
	})
	return g.tied
}

// together returns the pairs of entities that are mentioned together often enough,
// strongest first.
func (g *Graph) together() []tie {
	entities, all := g.mentioned()
	count, touched := make([]int32, len(g.entities)), []int32(nil)
	var out []tie
	for a := range int32(len(g.entities)) {
		touched = g.meets(a, entities, count, touched[:0])
		for _, b := range touched {
			n := int(count[b])
			count[b] = 0
			if n < leastTogether || g.related(a, b) {
				continue
			}
			if s := strength(n, len(g.mentions.of(a)), len(g.mentions.of(b)), all); s >= leastStrength {
				out = append(out, tie{a, b, n, s})
			}
		}
	}
	slices.SortFunc(out, func(x, y tie) int {
		return cmp.Or(cmp.Compare(y.strength, x.strength), cmp.Compare(y.passages, x.passages), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out
}

// meets counts the passages that mention a and each later entity, and appends those
// with any to touched.
func (g *Graph) meets(a int32, entities lists, count, touched []int32) []int32 {
	for _, c := range g.mentions.of(a) {
		list := entities.of(c)
		if len(list) > crowd {
			continue
		}
		for _, b := range list {
			if b <= a {
				continue
			}
			if count[b] == 0 {
				touched = append(touched, b)
			}
			count[b]++
		}
	}
	return touched
}

// mentioned returns the entities that each passage mentions, and how many passages
// mention any.
func (g *Graph) mentioned() (entities lists, passages int) {
	var in lister
	for n := range int32(len(g.entities)) {
		for _, c := range g.mentions.of(n) {
			in.add(c, n)
		}
	}
	entities = in.lists(len(g.of))
	for c := range int32(len(g.of)) {
		if len(entities.of(c)) > 0 {
			passages++
		}
	}
	return entities, passages
}

// strength returns the normalised pointwise mutual information of two events in all,
// given how often they occur together and each for itself.
func strength(both, a, b, all int) float64 {
	if both == all {
		return 0
	}
	n := float64(all)
	return math.Log(float64(both)*n/(float64(a)*float64(b))) / -math.Log(float64(both)/n)
}

// related reports whether a relation joins two entities.
func (g *Graph) related(a, b int32) bool {
	return slices.ContainsFunc(g.incident.of(a), func(r int32) bool { return g.relations[r].other(a) == b })
}

// bounded keeps the ties whose ends have room for another one.
func (g *Graph) bounded(ties []tie) []tie {
	of := make([]int, len(g.entities))
	return slices.DeleteFunc(ties, func(t tie) bool {
		if of[t.a] >= maxTied || of[t.b] >= maxTied {
			return true
		}
		of[t.a]++
		of[t.b]++
		return false
	})
}

// ties returns the ties among members that pass, strongest first, as edges.
func (m mask) ties(index map[int32]int, most int) []Edge {
	var out []Edge
	for _, t := range m.g.ties() {
		if len(out) >= most {
			break
		}
		a, in := index[t.a]
		b, too := index[t.b]
		if in && too && m.tied(t) {
			out = append(out, Edge{A: min(a, b), B: max(a, b), Evidence: t.passages})
		}
	}
	return out
}

// tied reports whether a tie passes.
func (m mask) tied(t tie) bool {
	return m.filter.Together && m.entities[t.a] && m.entities[t.b] && t.passages >= m.filter.Evidence && (m.chunks == nil || m.together(t.a, t.b))
}

// companions returns the entities tied to some others, the most strongly tied first.
func (m mask) companions(list []int32) []int32 {
	if !m.filter.Together {
		return nil
	}
	ties := m.g.ties()
	var found []int32 // in ties
	for _, n := range list {
		found = append(found, m.g.tiesOf.of(n)...)
	}
	slices.Sort(found)
	var out []int32
	for _, i := range slices.Compact(found) {
		t := ties[i]
		for _, n := range []int32{t.a, t.b} {
			if m.tied(t) && !slices.Contains(list, n) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// Tied is the type of relation that an export gives to ties.
const Tied = "MENTIONED_WITH"

// A Companion is an entity that passages mention together with another one more often
// than by chance, though no relation joins the two.
type Companion struct {
	Node
	Together int // passages that mention both
}

// Companions lists the entities tied to one, the most strongly tied first.
func (g *Graph) Companions(id domain.EntityID) []Companion {
	n, known := g.at[id]
	if !known {
		return nil
	}
	ties := g.ties()
	var out []Companion
	for _, i := range g.tiesOf.of(n) {
		t := ties[i]
		other := t.a + t.b - n
		out = append(out, Companion{g.node(other, 0, Point{}), t.passages})
	}
	return out
}

// Ties counts the ties of the graph.
func (g *Graph) Ties() int { return len(g.ties()) }

// TieRelations returns the ties as relations for a file, with the passages
// that mention both ends as evidence.
func (g *Graph) TieRelations() []domain.Relation {
	var out []domain.Relation
	for _, t := range g.ties() {
		r := domain.Relation{Source: g.entities[t.a].id, Target: g.entities[t.b].id, Type: Tied}
		r.ID = domain.NewRelationID(r.Source, r.Type, r.Target)
		other := g.mentions.of(t.b)
		for _, c := range g.mentions.of(t.a) {
			if _, both := slices.BinarySearch(other, c); both {
				r.Evidence = append(r.Evidence, domain.Evidence{Chunk: g.passages[c], Document: g.documents[g.of[c]]})
			}
		}
		out = append(out, r)
	}
	return out
}
