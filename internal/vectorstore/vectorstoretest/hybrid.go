package vectorstoretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

func testHybrid(t *testing.T, s *bench) {
	s.put(
		chunk("a1", "", "granite", 1, 0), chunk("a2", "", "slate", 0.8, 0.6), chunk("a3", "", "granite pebbles of the river", 0, 1),
		chunk("b1", "", "marble", 0.6, 0.8), chunk("b2", "", "granite among many other words of a long text"),
	)
	q := vectorstore.HybridQuery{Collection: vectorstore.Chunks, Text: "granite", Vector: []float32{1, 0}, Candidates: 5, Limit: 5}
	hits, err := s.Hybrid(t.Context(), s.ws, q)
	if !s.Capabilities().Fusion {
		same(s, "kind of error", domain.KindOf(err), domain.Unsupported)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	// a1 is first by words and by vector, a3 is found by both, the others by one.
	ids := s.idsOf(hits)
	same(s, "found", ids[:1], []string{"a1"})
	sameSet(s, "all found", ids, []string{"a1", "a2", "a3", "b1", "b2"})
	if want := 2.0 / 61; len(hits) > 0 && (hits[0].Score < 0.9*want || hits[0].Score > 1.1*want) {
		t.Errorf("the first has the score %f, want about %f", hits[0].Score, want)
	}
	find := func(change func(*vectorstore.HybridQuery)) []string {
		q := q
		change(&q)
		hits, err := s.Hybrid(t.Context(), s.ws, q)
		if err != nil {
			t.Fatal(err)
		}
		return s.idsOf(hits)
	}
	sameSet(s, "of one document", find(func(q *vectorstore.HybridQuery) { q.Documents = []domain.DocumentID{"db"} }), []string{"b1", "b2"})
	same(s, "cut to the limit", find(func(q *vectorstore.HybridQuery) { q.Limit = 1 }), []string{"a1"})
	same(s, "limit 0", find(func(q *vectorstore.HybridQuery) { q.Limit = 0 }), nil)
	same(s, "without a usable word", find(func(q *vectorstore.HybridQuery) { q.Text, q.Limit = "the of", 1 }), []string{"a1"})
}

// testLargeBatch writes and lists more than a store would take or give in one
// message.
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
		t.Fatalf("%d points are listed, want %d", len(got), n)
	}
	same(s, "the first and the last", []string{got[0], got[n-1]}, []string{"a0000", "a2999"})
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "left", len(s.ids(vectorstore.Chunks)), 0)
}
