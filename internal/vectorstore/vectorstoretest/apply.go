package vectorstoretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

func testCursor(t *testing.T, s *bench) {
	same(s, "cursor of a workspace never written", s.cursor(), 0)
	b := vectorstore.Batch{Cursor: 7, Upsert: []vectorstore.Point{chunk("a1", "", "granite", 1, 0)}}
	for range 2 { // its acknowledgement may have been lost
		if err := s.Apply(t.Context(), s.ws, b); err != nil {
			t.Fatal(err)
		}
		same(s, "cursor", s.cursor(), 7)
		same(s, "points", s.ids(vectorstore.Chunks), []string{"a1"})
	}
	for _, late := range []vectorstore.Batch{{Cursor: 6}, {After: 5, Cursor: 6}, {After: 5, Cursor: 7}} {
		late.DeleteDocuments = []domain.DocumentID{"da"}
		err := s.Apply(t.Context(), s.ws, late)
		same(s, "kind of error of a batch that was overtaken", domain.KindOf(err), domain.Conflict)
	}
	same(s, "points after late batches", s.find("granite"), []string{"a1"})
}

func testConflict(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite"))
	err := s.Apply(t.Context(), s.ws, vectorstore.Batch{After: 0, Cursor: 5, DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "kind of error", domain.KindOf(err), domain.Conflict)
	same(s, "cursor", s.cursor(), 1)
	same(s, "points", s.ids(vectorstore.Chunks), []string{"a1"})
}

func testReset(t *testing.T, s *bench) {
	fill := []vectorstore.Point{chunk("a1", "", "granite", 1, 0), chunk("b1", "", "marble", 0, 1)}
	s.put(fill...)
	s.in("other").put(fill...)
	same(s, "vectors before", s.near([]float32{1, 0}, 5), []string{"a1", "b1"})
	if err := s.Reset(t.Context(), s.ws, 0); err != nil {
		t.Fatal(err)
	}
	same(s, "cursor", s.cursor(), 0)
	same(s, "points", s.ids(vectorstore.Chunks), nil)
	same(s, "words", s.find("granite"), nil)
	same(s, "vectors", s.near([]float32{1, 0}, 5), nil)
	same(s, "points of the other workspace", s.in("other").ids(vectorstore.Chunks), []string{"a1", "b1"})
	// Filled again up to the same cursor with something else.
	s.put(chunk("c1", "", "granite", 0, 1))
	same(s, "words when filled again", s.find("granite marble"), []string{"c1"})
	same(s, "vectors when filled again", s.near([]float32{1, 0}, 5), []string{"c1"})
	if err := s.Reset(t.Context(), "never written", 0); err != nil {
		t.Error(err)
	}
}

// testWorkspaces writes the same ids into two workspaces.
func testWorkspaces(t *testing.T, s *bench) {
	other := s.in("other")
	s.put(chunk("a1", "", "granite", 1, 0))
	same(s, "other's cursor", other.cursor(), 0)
	same(s, "other's words", other.find("granite"), nil)
	same(s, "other's vectors", other.near([]float32{1, 0}, 5), nil)
	same(s, "other's points", other.ids(vectorstore.Chunks), nil)
	other.put(chunk("a1", "", "marble", 0, 1), chunk("a2", "", "slate", 1, 0))
	same(s, "words", s.find("marble slate"), nil)
	same(s, "vectors", s.near([]float32{1, 0}, 5), []string{"a1"})
	other.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "points", s.find("granite"), []string{"a1"})
	same(s, "other's points after the delete", other.ids(vectorstore.Chunks), nil)
}

// testCollections uses one id in two collections.
func testCollections(t *testing.T, s *bench) {
	sentence := chunk("a1", "", "marble", 0, 1)
	sentence.Collection, sentence.Document = vectorstore.Sentences, "db"
	s.put(chunk("a1", "", "granite", 1, 0), sentence)
	same(s, "chunk", s.find("granite marble"), []string{"a1"})
	same(s, "words of the sentence among chunks", s.find("marble"), nil)
	in := vectorstore.LexicalQuery{Collection: vectorstore.Sentences, Text: "marble", Limit: 5}
	same(s, "sentence", s.lexical(in), []string{"a1"})
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "chunks", s.ids(vectorstore.Chunks), nil)
	same(s, "sentences", s.ids(vectorstore.Sentences), []string{"a1"})
	_, err := s.Lexical(t.Context(), s.ws, vectorstore.LexicalQuery{Collection: "x; DROP TABLE points", Text: "granite", Limit: 1})
	same(s, "kind of error", domain.KindOf(err), domain.Invalid)
}

func testReplace(t *testing.T, s *bench) {
	s.put(chunk("a1", "Rocks", "granite", 1, 0), chunk("b1", "", "slate", 0, 1))
	s.put(chunk("a1", "Stones", "marble", 0, 1))
	same(s, "old words", s.find("granite rocks"), nil)
	same(s, "new words", s.find("marble"), []string{"a1"})
	same(s, "new title", s.find("stones"), []string{"a1"})
	same(s, "new vector", s.near([]float32{0, 1}, 5), []string{"a1", "b1"})
	s.put(chunk("a1", "Stones", "marble"))
	same(s, "without a vector", s.near([]float32{0, 1}, 5), []string{"b1"})
	same(s, "words without a vector", s.find("marble"), []string{"a1"})
	moved := chunk("a1", "Stones", "marble", 1, 0)
	moved.Document = "elsewhere"
	s.put(moved)
	same(s, "words of its document now", s.find("marble", "elsewhere"), []string{"a1"})
	same(s, "words of its document before", s.find("marble", "da"), nil)
	same(s, "vectors of its document now", s.near([]float32{1, 0}, 5, "elsewhere"), []string{"a1"})
}

func testDelete(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite", 1, 0), chunk("b1", "", "granite", 1, 0), chunk("c1", "", "granite", 0, 1), chunk("c2", "", "granite", 0, 1))
	same(s, "before", len(s.near([]float32{1, 0}, 5)), 4)
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da", "never was"}})
	sameSet(s, "words", s.find("granite"), []string{"b1", "c1", "c2"})
	same(s, "vectors", s.near([]float32{1, 0}, 5), []string{"b1", "c1", "c2"})
	// Deletes come before upserts.
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"dc"}, Upsert: []vectorstore.Point{chunk("c1", "", "slate", 1, 0)}})
	same(s, "words after delete and upsert", s.find("slate"), []string{"c1"})
	same(s, "vectors after delete and upsert", s.near([]float32{1, 0}, 5), []string{"b1", "c1"})
}

func testDeleteDocuments(t *testing.T, s *bench) {
	sentence := chunk("a1#0", "", "granite", 1, 0)
	sentence.Collection = vectorstore.Sentences
	other := chunk("b1#0", "", "granite", 1, 0)
	other.Collection = vectorstore.Sentences
	s.put(chunk("a1", "", "granite", 1, 0), chunk("a2", "", "granite"), sentence, other, chunk("b1", "", "granite", 1, 0))
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da", "never was", ""}})
	same(s, "chunks", s.ids(vectorstore.Chunks), []string{"b1"})
	same(s, "sentences", s.ids(vectorstore.Sentences), []string{"b1#0"})
	same(s, "words", s.find("granite"), []string{"b1"})
	same(s, "vectors", s.near([]float32{1, 0}, 5), []string{"b1"})
}

// testLargeBatch writes and lists more than fits into one message.
func testLargeBatch(t *testing.T, s *bench) {
	const n, dim = 3000, 384
	var points []vectorstore.Point
	for i := range n {
		v := make([]float32, dim)
		v[i%dim] = 1
		points = append(points, chunk(fmt.Sprintf("a%04d", i), "", strings.Repeat("granite boulder ", 40), v...))
	}
	s.put(points...)
	got := s.ids(vectorstore.Chunks)
	if len(got) != n {
		t.Fatalf("got %d points, want %d", len(got), n)
	}
	same(s, "the first and the last", []string{got[0], got[n-1]}, []string{"a0000", "a2999"})
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "left", len(s.ids(vectorstore.Chunks)), 0)
}
