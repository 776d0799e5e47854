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
	maxTied       = 5   // ties of an entity, the strongest of both ends
	everywhere    = 500 // passages; an entity with more is tied to nothing
	crowd         = 60  // entities in a passage; with more it is a list of unrelated entries

	maxTies = 1_500 // the strongest, drawn in a view
)

// tie joins two entities without a relation that passages mention together more
// often than by chance. Its strength is normalised pointwise mutual information: 0 if
// the passages of one are independent of those of the other, 1 if they are the same.
type tie struct {
	a, b     int32 // a < b
	passages int
	strength float64
}

// ties returns the ties of the graph, strongest first, computed once: the pairs that are among the strongest of both ends, so
// that those of an entity depend on little of the graph.
func (g *Graph) ties() []tie {
	g.tying.Do(func() {
		g.best = make([][]tie, len(g.entities))
		m := meeting{Graph: g, named: g.mentioned(), count: make([]int32, len(g.entities))}
		for a := range int32(len(g.entities)) {
			g.best[a] = m.strongest(a)
		}
		for a, list := range g.best {
			for _, t := range list {
				if t.a == int32(a) && slices.Contains(g.best[t.b], t) {
					g.tied = append(g.tied, t)
				}
			}
		}
		slices.SortFunc(g.tied, stronger)
		var at lister
		for i, t := range g.tied {
			at.add(t.a, int32(i))
			at.add(t.b, int32(i))
		}
		g.tiesOf = at.lists(len(g.entities))
	})
	return g.tied
}

func stronger(x, y tie) int {
	return cmp.Or(cmp.Compare(y.strength, x.strength), cmp.Compare(y.passages, x.passages), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
}

// mentioned returns the entities that each passage mentions.
func (g *Graph) mentioned() sublists {
	var in lister
	for n := range int32(len(g.entities)) {
		for _, c := range g.mentions.of(n) {
			in.add(c, n)
		}
	}
	return in.lists(len(g.of))
}

// meeting counts the passages that mention two entities.
type meeting struct {
	*Graph
	named sublists // the entities that each passage mentions
	count []int32  // per entity; 0 between two calls
	met   []int32  // entities with a count
}

// strongest returns the pairs of an entity with others that are mentioned together with it often enough, the strongest, if all
// about it is known.
func (m *meeting) strongest(a int32) []tie {
	if m.whole != nil && !m.whole[a] || m.entities[a].passages > everywhere {
		return nil
	}
	var out []tie
	m.meet(a)
	for _, b := range m.met {
		n := int(m.count[b])
		m.count[b] = 0
		if n < leastTogether || m.entities[b].passages > everywhere || m.related(a, b) {
			continue
		}
		if s := strength(n, m.entities[a].passages, m.entities[b].passages, m.all); s >= leastStrength {
			out = append(out, tie{min(a, b), max(a, b), n, s})
		}
	}
	slices.SortFunc(out, stronger)
	return slices.Clone(out[:min(len(out), maxTied)])
}

// meet counts the passages that mention a and each other entity.
func (m *meeting) meet(a int32) {
	m.met = m.met[:0]
	for _, c := range m.mentions.of(a) {
		list := m.named.of(c)
		if len(list) > crowd {
			continue
		}
		for _, b := range list {
			if b == a {
				continue
			}
			if m.count[b] == 0 {
				m.met = append(m.met, b)
			}
			m.count[b]++
		}
	}
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
