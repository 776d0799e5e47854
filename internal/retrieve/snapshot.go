package retrieve

import (
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// snapshot is a workspace's graph made ready to be walked. Chunks come first
// among its nodes, then names: entities that are called the same are one name,
// since what a question names has no label.
type snapshot struct {
	cursor  int64
	chunks  []graphstore.AdjacentChunk
	chunk   map[domain.ChunkID]int32
	names   []name
	byKey   map[string][]int32 // names by the keys of their name and aliases
	longest int                // words of the longest key
	links   []link             // ordered by chunk, then name
	first   []int32            // where each chunk's links begin
	matrix  matrix
	pool    sync.Pool // of *walk
}

// name is what one or more entities are called.
type name struct {
	entity domain.EntityID // of the first entity
	name   string
	held   int32 // chunks that it is tied to
}

// link ties a chunk to a name.
type link struct {
	chunk, name int32
	kind        graphstore.LinkKind
}

// isTitle reports whether the name is the title of the chunk's own document.
func (l link) isTitle() bool { return l.kind&graphstore.LinkTitle != 0 }

// newSnapshot prepares a.
func newSnapshot(a *graphstore.Adjacency, t tuning) *snapshot {
	s := &snapshot{cursor: a.Cursor, chunks: a.Chunks, chunk: make(map[domain.ChunkID]int32, len(a.Chunks)), byKey: map[string][]int32{}}
	for i, c := range a.Chunks {
		s.chunk[c.ID] = int32(i)
	}
	of := s.readNames(a.Entities)
	s.readLinks(a.Links, of)
	s.matrix = s.edges(a.Relations, of, t)
	return s
}

// readNames groups entities into names and says which name each belongs to.
// An alias that is the name of something else does not count.
func (s *snapshot) readNames(entities []graphstore.AdjacentEntity) []int32 {
	of := make([]int32, len(entities))
	at := make(map[string]int32, len(entities))
	for i, e := range entities {
		n, ok := at[e.Key]
		if !ok {
			n = int32(len(s.names))
			at[e.Key] = n
			s.names = append(s.names, name{entity: e.ID, name: e.Name})
			s.called(e.Key, n)
		}
		of[i] = n
	}
	for i, e := range entities {
		for _, key := range e.AliasKeys {
			if _, taken := at[key]; !taken {
				s.called(key, of[i])
			}
		}
	}
	return of
}

// called notes that a name goes by a key.
func (s *snapshot) called(key string, n int32) {
	if slices.Contains(s.byKey[key], n) {
		return
	}
	s.byKey[key] = append(s.byKey[key], n)
	s.longest = max(s.longest, strings.Count(key, " ")+1)
}

// readLinks turns links to entities into links to names.
func (s *snapshot) readLinks(links []graphstore.AdjacentLink, of []int32) {
	s.first = make([]int32, len(s.chunks)+1)
	s.links = make([]link, 0, len(links))
	for i := 0; i < len(links); {
		chunk := links[i].Chunk
		from := len(s.links)
		for ; i < len(links) && links[i].Chunk == chunk; i++ {
			s.addLink(from, link{chunk, of[links[i].Entity], links[i].Kind})
		}
		slices.SortFunc(s.links[from:], func(a, b link) int { return int(a.name) - int(b.name) })
	}
	at := 0
	for c := range s.first {
		for at < len(s.links) && int(s.links[at].chunk) < c {
			at++
		}
		s.first[c] = int32(at)
	}
	for _, l := range s.links {
		s.names[l.name].held++
	}
}

// addLink adds l to the links of one chunk, which begin at from.
func (s *snapshot) addLink(from int, l link) {
	for i := from; i < len(s.links); i++ {
		if s.links[i].name == l.name {
			s.links[i].kind |= l.kind
			return
		}
	}
	s.links = append(s.links, l)
}

// of are the links of a chunk.
func (s *snapshot) of(chunk int32) []link { return s.links[s.first[chunk]:s.first[chunk+1]] }

// node is the node of a name.
func (s *snapshot) node(name int32) int32 { return int32(len(s.chunks)) + name }

// edges are the weighted edges between chunks and names, and between names.
func (s *snapshot) edges(relations []graphstore.AdjacentRelation, of []int32, t tuning) matrix {
	b := newMatrixBuilder(len(s.chunks) + len(s.names))
	for _, l := range s.links {
		weight := t.mention
		if l.isTitle() {
			weight = t.title
		}
		b.add(l.chunk, s.node(l.name), weight)
	}
	for _, r := range relations {
		if from, to := of[r.Source], of[r.Target]; from != to {
			b.add(s.node(from), s.node(to), t.relation)
		}
	}
	return b.build()
}
