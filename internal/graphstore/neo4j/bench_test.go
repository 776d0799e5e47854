package neo4j_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// library returns a batch of one-chunk documents with links to entities, a few
// of them in many chunks and most in few. There are six entities and two
// relations per document.
func library(documents, links int) graphstore.Batch {
	var b graphstore.Batch
	byEntity := map[int][]graphstore.Link{}
	for d := range documents {
		doc := graphstore.Document{ID: domain.DocumentID(fmt.Sprintf("d%06d", d)), Name: "n", Title: "t"}
		chunk := domain.ChunkID(fmt.Sprintf("c%020d", d))
		doc.Chunks = []graphstore.Chunk{{ID: chunk, Text: "Some words of a chunk."}}
		b.Documents = append(b.Documents, doc)
		for l := range links {
			e := (d*7919 + l*104729) % (documents * 6)
			if l == 0 {
				e = d % 20
			}
			byEntity[e] = append(byEntity[e], graphstore.Link{Chunk: chunk, Document: doc.ID, Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: 9 * l, End: 9*l + 7}}})
		}
	}
	for e := range documents * 6 {
		id := domain.NewEntityID("w", "Thing", fmt.Sprint(e))
		name := fmt.Sprintf("Name number %d", e)
		b.Entities = append(b.Entities, graphstore.Entity{
			Entity: domain.Entity{ID: id, Label: "Thing", Key: name, Name: name}, AliasKeys: []string{name + "s"}, Links: distinct(byEntity[e]),
		})
		if e%3 == 0 && e > 0 {
			source := b.Entities[e-1].ID
			b.Relations = append(b.Relations, domain.Relation{ID: domain.NewRelationID(source, "NEXT", id), Source: source, Type: "NEXT", Target: id,
				Evidence: []domain.Evidence{{Chunk: "c", Document: "d"}}})
		}
	}
	return b
}

// distinct keeps one link per chunk.
func distinct(links []graphstore.Link) []graphstore.Link {
	seen := map[domain.ChunkID]bool{}
	var kept []graphstore.Link
	for _, l := range links {
		if !seen[l.Chunk] {
			seen[l.Chunk] = true
			kept = append(kept, l)
		}
	}
	return kept
}

// BenchmarkApply writes 1,500 documents of one chunk with 20,000 links in one
// batch.
func BenchmarkApply(b *testing.B) {
	s, ws := open(b, servers.Neo4j(b)), domain.WorkspaceID(b.Name())
	batch := library(1500, 14)
	var took time.Duration
	for b.Loop() {
		b.StopTimer()
		reset(b, s, ws)
		b.StartTimer()
		start := time.Now()
		apply(b, s, ws, batch)
		took += time.Since(start)
	}
	b.ReportMetric(1500*float64(b.N)/took.Seconds(), "chunks/s")
	b.ReportMetric(float64(len(batch.Entities)*b.N)/took.Seconds(), "entities/s")
}

// BenchmarkAdjacency reads 100,000 entities with a million links.
func BenchmarkAdjacency(b *testing.B) {
	s, ws := open(b, servers.Neo4j(b)), domain.WorkspaceID(b.Name())
	const parts, documents = 20, 1000
	reset(b, s, ws)
	for part := range parts {
		apply(b, s, ws, renamed(library(documents, 55), part, 5000))
	}
	b.ResetTimer()
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		a, err := s.Adjacency(b.Context(), ws)
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(start)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.Logf("%d entities, %d links, %d relations in %v, %d MB kept", len(a.Entities), len(a.Links), len(a.Relations), took, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20)
		runtime.KeepAlive(a)
	}
	for name, read := range map[string]func() error{
		"stats":      func() error { _, err := s.Stats(b.Context(), ws); return err },
		"first page": func() error { _, _, err := s.Entities(b.Context(), ws, graphstore.EntityQuery{Limit: 50}); return err },
		"page by name": func() error {
			_, _, err := s.Entities(b.Context(), ws, graphstore.EntityQuery{Limit: 50, Order: graphstore.ByName})
			return err
		},
		"page by words": func() error {
			_, _, err := s.Entities(b.Context(), ws, graphstore.EntityQuery{Limit: 50, Text: "num 12"})
			return err
		},
		"by 100 keys": func() error {
			var keys []string
			for i := range 100 {
				keys = append(keys, fmt.Sprintf("0 Name number %d", i))
			}
			_, err := s.ByKey(b.Context(), ws, keys)
			return err
		},
		"labels": func() error { _, err := s.Labels(b.Context(), ws); return err },
	} {
		for range 2 {
			start := time.Now()
			if err := read(); err != nil {
				b.Fatal(err)
			}
			b.Logf("%s: %v", name, time.Since(start))
		}
	}
}

// renamed returns a batch of the same shape with other ids, except for the
// first entities.
func renamed(b graphstore.Batch, part, entities int) graphstore.Batch {
	prefix := fmt.Sprint(part, " ")
	for i := range b.Documents {
		d := &b.Documents[i]
		d.ID = domain.DocumentID(prefix) + d.ID
		d.Chunks[0].ID = domain.ChunkID(prefix) + d.Chunks[0].ID
	}
	b.Entities = b.Entities[:min(entities, len(b.Entities))]
	for i := range b.Entities {
		e := &b.Entities[i]
		e.ID, e.Key = domain.EntityID(prefix)+e.ID, prefix+e.Key
		for l := range e.Links {
			e.Links[l].Chunk = domain.ChunkID(prefix) + e.Links[l].Chunk
		}
	}
	for i := range b.Relations {
		r := &b.Relations[i]
		r.ID, r.Source, r.Target = domain.RelationID(prefix)+r.ID, domain.EntityID(prefix)+r.Source, domain.EntityID(prefix)+r.Target
	}
	return b
}
