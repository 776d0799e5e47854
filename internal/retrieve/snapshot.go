package retrieve

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// snapshot is a workspace's graph prepared for walking. Its nodes are the chunks
// followed by the names. Entities with the same name share one node, because a
// name in a question has no label.
type snapshot struct {
	chunks   []graphstore.AdjacentChunk
	chunk    map[domain.ChunkID]int32
	names    []name
	byKey    map[string][]int32 // names by key of name and aliases
	longest  int                // number of words in the longest key
	spelt    *spellings
	links    []link  // ordered by chunk, then name
	first    []int32 // index of each chunk's first link
	titles   []link  // of links, those to the title of the chunk's document
	mentions []link  // and those to the title of another chunk's document
	matrix   matrix
	pool     sync.Pool // of *walk
	held     atomic.Pointer[holdings]
}

// name is shared by one or more entities.
type name struct {
	entity   domain.EntityID // the first of them
	name     string
	passages int32 // number of chunks that mention it
}

// link connects a chunk and a name.
type link struct {
	chunk, name int32
	kind        graphstore.LinkKind
}

// isTitle reports whether the name is the title of the chunk's document.
func (l link) isTitle() bool { return l.kind&graphstore.LinkTitle != 0 }

func newSnapshot(a *graphstore.Adjacency, t tuning) *snapshot {
	s := &snapshot{chunks: a.Chunks, chunk: make(map[domain.ChunkID]int32, len(a.Chunks)), byKey: map[string][]int32{}}
	for i, c := range a.Chunks {
		s.chunk[c.ID] = int32(i)
	}
	of := s.readNames(a.Entities)
	s.spelt = newSpellings(s.byKey)
	s.readLinks(a.Links, of)
	s.noteTitles()
	s.matrix = s.edges(a.Relations, of, t)
	return s
}

// readNames groups entities into names and returns the name of each entity. An
// alias that is also the name of another entity is ignored.
func (s *snapshot) readNames(entities []graphstore.AdjacentEntity) []int32 {
	of := make([]int32, len(entities))
	at := make(map[string]int32, len(entities))
	for i, e := range entities {
		n, ok := at[e.Key]
		if !ok {
			n = int32(len(s.names))
			at[e.Key] = n
			s.names = append(s.names, name{entity: e.ID, name: e.Name})
			s.addKey(e.Key, n)
		}
		of[i] = n
	}
	for i, e := range entities {
		for _, key := range e.AliasKeys {
			if _, taken := at[key]; !taken {
				s.addKey(key, of[i])
			}
		}
	}
	return of
}

func (s *snapshot) addKey(key string, n int32) {
	if slices.Contains(s.byKey[key], n) {
		return
	}
	s.byKey[key] = append(s.byKey[key], n)
	s.longest = max(s.longest, strings.Count(key, " ")+1)
}

// readLinks converts links to entities into links to names.
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
		s.names[l.name].passages++
	}
}

// noteTitles keeps apart the links that stepTitles follows.
func (s *snapshot) noteTitles() {
	title := make([]bool, len(s.names))
	for _, l := range s.links {
		if l.isTitle() {
			s.titles, title[l.name] = append(s.titles, l), true
		}
	}
	for _, l := range s.links {
		if !l.isTitle() && title[l.name] {
			s.mentions = append(s.mentions, l)
		}
	}
}

// addLink adds l to the current chunk's links, which start at from.
func (s *snapshot) addLink(from int, l link) {
	for i := from; i < len(s.links); i++ {
		if s.links[i].name == l.name {
			s.links[i].kind |= l.kind
			return
		}
	}
	s.links = append(s.links, l)
}

func (s *snapshot) linksOf(chunk int32) []link { return s.links[s.first[chunk]:s.first[chunk+1]] }

// node returns the node of a name.
func (s *snapshot) node(name int32) int32 { return int32(len(s.chunks)) + name }

// edges returns the weighted edges between chunks and names and among names.
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
