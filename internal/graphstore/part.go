package graphstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A Part collects what is read of a graph, each thing once. The zero value is empty.
type Part struct {
	entities  map[domain.EntityID]AdjacentEntity
	chunks    []AdjacentChunk // in the order of adding
	held      map[domain.ChunkID]bool
	links     map[partLink]LinkKind
	relations map[partRelation]AdjacentRelation
}

type partLink struct {
	chunk  domain.ChunkID
	entity domain.EntityID
}

type partRelation struct {
	source, target domain.EntityID
	kind           string
}

// Add adds an entity. Of one that was added before, the higher counts hold.
func (p *Part) Add(e AdjacentEntity) {
	if p.entities == nil {
		p.entities = map[domain.EntityID]AdjacentEntity{}
	}
	if old, known := p.entities[e.ID]; known {
		e.Relations = max(e.Relations, old.Relations)
	}
	p.entities[e.ID] = e
}

// AddChunk adds a chunk after those of its document.
func (p *Part) AddChunk(c AdjacentChunk) {
	if p.held == nil {
		p.held = map[domain.ChunkID]bool{}
	}
	if !p.held[c.ID] {
		p.held[c.ID] = true
		p.chunks = append(p.chunks, c)
	}
}

// Link adds a link of a chunk that was added.
func (p *Part) Link(chunk domain.ChunkID, entity domain.EntityID, kind LinkKind) {
	if p.links == nil {
		p.links = map[partLink]LinkKind{}
	}
	p.links[partLink{chunk, entity}] = kind
}

// Relate adds a relation.
func (p *Part) Relate(source, target domain.EntityID, r AdjacentRelation) {
	if p.relations == nil {
		p.relations = map[partRelation]AdjacentRelation{}
	}
	p.relations[partRelation{source, target, r.Type}] = r
}

// Merge adds what a holds.
func (p *Part) Merge(a *Adjacency) {
	for _, e := range a.Entities {
		p.Add(e)
	}
	for _, c := range a.Chunks {
		p.AddChunk(c)
	}
	for _, l := range a.Links {
		p.Link(a.Chunks[l.Chunk].ID, a.Entities[l.Entity].ID, l.Kind)
	}
	for _, r := range a.Relations {
		p.Relate(a.Entities[r.Source].ID, a.Entities[r.Target].ID, r)
	}
}

// Adjacency returns the collected part, without links and relations of entities that were not collected.
func (p *Part) Adjacency() *Adjacency {
	a := &Adjacency{Entities: make([]AdjacentEntity, 0, len(p.entities)), Chunks: slices.Clone(p.chunks)}
	at := make(map[domain.EntityID]int32, len(p.entities))
	for i, id := range slices.Sorted(maps.Keys(p.entities)) {
		at[id] = int32(i)
		a.Entities = append(a.Entities, p.entities[id])
	}
	slices.SortStableFunc(a.Chunks, func(x, y AdjacentChunk) int { return cmp.Compare(x.Document, y.Document) })
	place := make(map[domain.ChunkID]int32, len(a.Chunks))
	for i, c := range a.Chunks {
		place[c.ID] = int32(i)
	}
	for l, kind := range p.links {
		if entity, known := at[l.entity]; known {
			a.Links = append(a.Links, AdjacentLink{Chunk: place[l.chunk], Entity: entity, Kind: kind})
		}
	}
	slices.SortFunc(a.Links, func(x, y AdjacentLink) int {
		return cmp.Or(cmp.Compare(x.Chunk, y.Chunk), cmp.Compare(x.Entity, y.Entity))
	})
	for ends, r := range p.relations {
		source, ok1 := at[ends.source]
		target, ok2 := at[ends.target]
		if r.Source, r.Target = source, target; ok1 && ok2 {
			a.Relations = append(a.Relations, r)
		}
	}
	slices.SortFunc(a.Relations, func(x, y AdjacentRelation) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Target, y.Target), cmp.Compare(x.Type, y.Type))
	})
	return a
}
