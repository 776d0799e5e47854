package sqlite_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/graphstoretest"
	"github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/testkit/long"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	graphstoretest.Run(t, long.Or[int64](30, 200), func(t *testing.T) graphstore.Store { return open(t, path(t)) })
}

func path(t testing.TB) string { return filepath.Join(t.TempDir(), "graph.db") }

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const ws domain.WorkspaceID = "main"

func apply(t testing.TB, s graphstore.Store, b graphstore.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), ws, b); err != nil {
		t.Fatal(err)
	}
}

func named(id domain.EntityID, name string, links ...graphstore.Link) graphstore.Entity {
	return graphstore.Entity{Entity: domain.Entity{ID: id, Label: "Thing", Key: name, Name: name}, AliasKeys: []string{name + "s"}, Links: links}
}

// TestTwoProcesses opens the file twice, like two processes.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	file := path(t)
	one, two := open(t, file), open(t, file)
	apply(t, one, graphstore.Batch{Cursor: 1, Entities: []graphstore.Entity{named("e1", "ann")}})
	apply(t, two, graphstore.Batch{After: 1, Cursor: 2, Entities: []graphstore.Entity{named("e2", "bob")}})
	for i, s := range []*sqlite.Store{one, two} {
		stats, err := s.Stats(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Entities != 2 {
			t.Errorf("store %d: got %d entities, want 2", i, stats.Entities)
		}
	}
}

// TestOtherVersion opens a file with another version's layout.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	file := path(t)
	s, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, graphstore.Batch{Cursor: 1, Entities: []graphstore.Entity{named("e1", "ann")}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `PRAGMA user_version = 99; CREATE TABLE extra (x)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, file)
	stats, err := s.Stats(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	cursor, err := s.Cursor(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(graphstore.Stats{}, stats); diff != "" || cursor != 0 {
		t.Errorf("got cursor %d, stats (-want +got)\n%s", cursor, diff)
	}
	apply(t, s, graphstore.Batch{Cursor: 1, Entities: []graphstore.Entity{named("e1", "ann")}})
}

func TestReopen(t *testing.T) {
	t.Parallel()
	file := path(t)
	s, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, graphstore.Batch{Cursor: 5, Entities: []graphstore.Entity{named("e1", "ann")}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	cursor, err := open(t, file).Cursor(t.Context(), ws)
	if err != nil || cursor != 5 {
		t.Errorf("got cursor %d, error %v; want 5", cursor, err)
	}
}

func TestInvalidFileIsSetAside(t *testing.T) {
	t.Parallel()
	file := path(t)
	if err := os.WriteFile(file, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, file)
	if cursor, err := s.Cursor(t.Context(), "w"); cursor != 0 || err != nil {
		t.Errorf("got cursor %d, error %v; want an empty graph", cursor, err)
	}
}

// TestDeletedWordsAreErasedFromTheFile searches the bytes on disk for a deleted
// name.
func TestDeletedWordsAreErasedFromTheFile(t *testing.T) {
	t.Parallel()
	file, marker := path(t), "Xylophantine"
	s := open(t, file)
	var keep []graphstore.Entity
	for i := range 300 {
		keep = append(keep, named(domain.EntityID(fmt.Sprint("k", i)), fmt.Sprintf("Keeper%d", i)))
	}
	doc := graphstore.Document{ID: "d1", Name: marker + ".txt", Title: marker, Chunks: []graphstore.Chunk{{ID: "c1"}}}
	link := graphstore.Link{Chunk: "c1", Document: "d1", Kind: graphstore.LinkMention}
	apply(t, s, graphstore.Batch{Cursor: 1, Documents: []graphstore.Document{doc}, Entities: append(keep, named("e1", marker, link))})
	if n := count(t, file, marker); n == 0 {
		t.Fatal("the marker was never on disk: the test proves nothing")
	}
	apply(t, s, graphstore.Batch{After: 1, Cursor: 2, DeleteDocuments: []domain.DocumentID{"d1"}, DeleteEntities: []domain.EntityID{"e1"}})
	if n := count(t, file, marker); n != 0 {
		t.Errorf("got %d files with the deleted word, want none", n)
	}
}

// count returns the number of files in the same folder that contain marker in
// any case.
func count(t *testing.T, file, marker string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Dir(file), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if bytes.Contains(bytes.ToLower(data), bytes.ToLower([]byte(marker))) {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// library returns a batch of one-chunk documents whose entities include a few
// hubs and many rare names.
func library(documents, links int) graphstore.Batch {
	b := graphstore.Batch{Cursor: 1}
	byEntity := map[int][]graphstore.Link{}
	for d := range documents {
		doc := graphstore.Document{ID: domain.DocumentID(fmt.Sprintf("d%06d", d)), Name: "n", Title: "t"}
		chunk := domain.ChunkID(fmt.Sprintf("c%020d", d))
		doc.Chunks = []graphstore.Chunk{{ID: chunk}}
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
		id := domain.NewEntityID(ws, "Thing", fmt.Sprint(e))
		b.Entities = append(b.Entities, named(id, fmt.Sprintf("Name number %d", e), byEntity[e]...))
		if e%3 == 0 && e > 0 {
			source := b.Entities[e-1].ID
			b.Relations = append(b.Relations, domain.Relation{ID: domain.NewRelationID(source, "NEXT", id), Source: source, Type: "NEXT", Target: id,
				Evidence: []domain.Evidence{{Chunk: "c", Document: "d"}}})
		}
	}
	return b
}

// BenchmarkApply writes 1,500 chunks with 20,000 links.
func BenchmarkApply(b *testing.B) {
	batch := library(1500, 14)
	for b.Loop() {
		s := open(b, path(b))
		apply(b, s, batch)
	}
	b.ReportMetric(1500*float64(b.N)/b.Elapsed().Seconds(), "documents/s")
}

// BenchmarkAdjacency reads 1,500 chunks with 20,000 links.
func BenchmarkAdjacency(b *testing.B) {
	s := open(b, path(b))
	apply(b, s, library(1500, 14))
	start := time.Now()
	for b.Loop() {
		if _, err := s.Adjacency(b.Context(), ws); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(start).Milliseconds())/float64(b.N), "ms/read")
}

// BenchmarkEntities lists a page by a word prefix.
func BenchmarkEntities(b *testing.B) {
	s := open(b, path(b))
	apply(b, s, library(1500, 14))
	for b.Loop() {
		if _, _, err := s.Entities(b.Context(), ws, graphstore.EntityQuery{Text: "num 12", Limit: 50}); err != nil {
			b.Fatal(err)
		}
	}
}
