package retrieve

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// patch is the part of a workspace's graph that a search has read: chunks and names,
// each by its number here. Entities with the same name are one name, because a name in
// a question has no label.
type patch struct {
	tuning  tuning
	within  map[domain.DocumentID]bool // the documents whose chunks belong to it; nil means all
	chunks  []chunk
	names   []name
	chunkAt map[domain.ChunkID]int32
	nameAt  map[string]int32 // by key
}

// place is the walk's note on a chunk or a name.
type place struct {
	seed, mass float64 // where walkers start; how many are there now
	residual   float64 // the part of mass that has not moved on
	degree     float64 // sum of the weights of its edges
	read       bool    // the store has been asked for its neighbours
}

// chunk is a chunk and the names in it.
type chunk struct {
	place
	graphstore.AdjacentChunk
	held  bool   // it is in the store
	links []link // by name
}

// name is shared by one or more entities.
type name struct {
	place
	key      string
	entity   domain.EntityID // the first of them
	name     string
	aliases  []string // keys
	passages int      // number of chunks that mention it
	wide     bool     // it has too many neighbours to be walked through
	links    []link   // by chunk
	from     []link   // of the chunks that were read
	related  []int32  // names, one for each relation
}

// link connects a chunk and a name.
type link struct {
	chunk, name int32
	kind        graphstore.LinkKind
}

// isTitle reports whether the name is the title of the chunk's document.
func (l link) isTitle() bool { return l.kind&graphstore.LinkTitle != 0 }

func newPatch(t tuning, documents []domain.DocumentID) *patch {
	const names, chunks = 1000, 500 // capacity that most walks don't exceed
	p := &patch{
		tuning: t, chunks: make([]chunk, 0, chunks), names: make([]name, 0, names),
		chunkAt: make(map[domain.ChunkID]int32, chunks), nameAt: make(map[string]int32, names),
	}
	if len(documents) > 0 {
		p.within = lists.Set(documents)
	}
	return p
}

// weight returns the weight of a link.
func (p *patch) weight(l link) float64 {
	if l.isTitle() {
		return p.tuning.title
	}
	return p.tuning.mention
}

// chunkOf returns the number of a chunk.
func (p *patch) chunkOf(id domain.ChunkID) int32 {
	n, ok := p.chunkAt[id]
	if !ok {
		n = int32(len(p.chunks))
		p.chunkAt[id] = n
		p.chunks = append(p.chunks, chunk{AdjacentChunk: graphstore.AdjacentChunk{ID: id}, held: true})
	}
	return n
}

// nameOf returns the number of a name.
func (p *patch) nameOf(key string) int32 {
	n, ok := p.nameAt[key]
	if !ok {
		n = int32(len(p.names))
		p.nameAt[key] = n
		p.names = append(p.names, name{key: key})
	}
	return n
}

// read adds the store's neighbours of names and chunks that were not read.
func (s *search) read(p *patch, names, chunks []int32) error {
	q := graphstore.NearQuery{Most: widest}
	for _, n := range names {
		if of := &p.names[n]; !of.read {
			of.read = true
			q.Keys = append(q.Keys, of.key)
		}
	}
	for _, c := range chunks {
		if of := &p.chunks[c]; !of.read {
			of.read, of.held = true, false
			q.Chunks = append(q.Chunks, of.ID)
		}
	}
	if len(q.Keys) == 0 && len(q.Chunks) == 0 {
		return nil
	}
	near, err := s.near(q)
	if err != nil {
		return err
	}
	for _, n := range near {
		for _, c := range n.chunk {
			p.addChunk(c)
		}
	}
	for _, n := range near {
		if len(n.names) > 0 {
			p.addName(n.names)
		}
	}
	return nil
}

// chunkedBy yields the runs of a list whose items are the same.
func chunkedBy[T any](list []T, same func(a, b T) bool) func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && same(list[0], list[n]) {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// addChunk adds the names in a chunk.
func (p *patch) addChunk(near graphstore.NearChunk) {
	at := p.chunkOf(near.ID)
	links := make([]link, 0, len(near.Links))
	for _, l := range near.Links {
		n := p.nameOf(l.Key)
		of := &p.names[n]
		if !of.read {
			of.passages, of.aliases = max(of.passages, l.Passages), l.AliasKeys
		}
		links = append(links, link{at, n, l.Kind})
	}
	c := &p.chunks[at]
	c.AdjacentChunk, c.held, c.read = near.AdjacentChunk, true, true
	c.links = merged(links, func(l link) int32 { return l.name })
	for _, l := range c.links {
		c.degree += p.weight(l)
		p.names[l.name].from = append(p.names[l.name].from, l)
	}
}

// merged orders links by one of their ends and makes one of those that share it.
func merged(links []link, end func(link) int32) []link {
	slices.SortFunc(links, func(a, b link) int { return cmp.Compare(end(a), end(b)) })
	one := links[:0]
	for _, l := range links {
		if n := len(one); n > 0 && end(one[n-1]) == end(l) {
			one[n-1].kind |= l.kind
		} else {
			one = append(one, l)
		}
	}
	return one
}

// addName adds the neighbouring chunks and names of a name, which entities share.
func (p *patch) addName(entities []graphstore.NearName) {
	at := p.nameOf(entities[0].Key)
	var links []link
	var related []int32
	passages, wide := 0, false
	for _, e := range entities {
		passages += e.Passages
		wide = wide || e.Passages > widest || len(e.Related) > widest
		for _, l := range e.Links {
			c := p.chunkOf(l.ID)
			p.chunks[c].Document = l.Document
			links = append(links, link{c, at, l.Kind})
		}
		for _, key := range e.Related {
			if key != e.Key {
				related = append(related, p.nameOf(key))
			}
		}
	}
	n := &p.names[at]
	n.entity, n.name, n.passages, n.wide, n.read = entities[0].Entity, entities[0].Name, passages, wide, true
	if wide {
		n.degree = float64(passages) * p.tuning.mention
		return
	}
	n.links, n.related = merged(links, func(l link) int32 { return l.chunk }), related
	n.passages = len(n.links)
	n.degree = float64(len(related)) * p.tuning.relation
	for _, l := range n.links {
		n.degree += p.weight(l)
	}
	n.links = slices.DeleteFunc(n.links, func(l link) bool { return !p.may(l.chunk) })
}

// may reports whether the walk may enter a chunk.
func (p *patch) may(chunk int32) bool {
	return p.within == nil || p.within[p.chunks[chunk].Document]
}
