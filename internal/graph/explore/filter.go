package explore

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A Filter narrows a graph. Empty fields let everything pass.
type Filter struct {
	Labels    []string
	Types     []string
	Documents map[domain.DocumentID]bool // not nil: only what these documents mention
	Passages  []domain.ChunkID           // not nil: only what these mention, instead
	Evidence  int                        // the fewest passages that state a relation
	Hide      []domain.EntityID
	Together  bool // with the lines between entities that are only mentioned together
}

// mask says which entities and relations pass a filter.
type mask struct {
	g        *Graph
	filter   Filter
	entities []bool
	chunks   []bool // those of the filter's documents; nil means all
}

func (g *Graph) mask(f Filter) mask {
	m := mask{g: g, filter: f, entities: make([]bool, len(g.entities))}
	m.choose()
	for i, e := range g.entities {
		m.entities[i] = (len(f.Labels) == 0 || slices.Contains(f.Labels, e.label)) && m.mentioned(int32(i))
	}
	for _, n := range g.indices(f.Hide) {
		m.entities[n] = false
	}
	return m
}

// choose marks the chunks of the filter.
func (m *mask) choose() {
	f := m.filter
	if f.Documents == nil && f.Passages == nil {
		return
	}
	m.chunks = make([]bool, len(m.g.of))
	if f.Passages != nil {
		for _, id := range f.Passages {
			if c, held := m.g.chunk[id]; held {
				m.chunks[c] = true
			}
		}
		return
	}
	for c, d := range m.g.of {
		m.chunks[c] = f.Documents[m.g.documents[d]]
	}
}

// members returns the entities that pass.
func (m mask) members() []int32 {
	var list []int32
	for n, passes := range m.entities {
		if passes {
			list = append(list, int32(n))
		}
	}
	return list
}

// mentioned reports whether a document of the filter mentions an entity.
func (m mask) mentioned(n int32) bool {
	return m.chunks == nil || slices.ContainsFunc(m.g.chunks.of(n), func(c int32) bool { return m.chunks[c] })
}

// passes reports whether a relation passes, with both its ends. With a filter
// of documents, one of their passages must mention both ends.
func (m mask) passes(r relation) bool {
	f := m.filter
	return m.entities[r.source] && m.entities[r.target] && r.evidence >= f.Evidence &&
		(len(f.Types) == 0 || slices.Contains(f.Types, r.kind)) && (m.chunks == nil || m.together(r.source, r.target))
}

func (m mask) together(a, b int32) bool {
	of, other := m.g.chunks.of(a), m.g.chunks.of(b)
	for i, j := 0, 0; i < len(of) && j < len(other); {
		switch {
		case of[i] < other[j]:
			i++
		case of[i] > other[j]:
			j++
		case m.chunks[of[i]]:
			return true
		default:
			i++
			j++
		}
	}
	return false
}

// neighbours calls f with each relation of n that passes and its other end.
func (m mask) neighbours(n int32, f func(r relation, other int32)) {
	for _, at := range m.g.incident.of(n) {
		if r := m.g.relations[at]; m.passes(r) && r.source != r.target {
			f(r, r.other(n))
		}
	}
}
