// Package vectorstoretest is the conformance suite that every vector store must
// pass. It checks filters, matches and first hits, but not scores, which differ
// between engines.
package vectorstoretest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Open opens a store for an embedding model. All stores of one Open share their
// points, as several processes would. The test's clean-up closes them.
type Open func(t *testing.T, model string) vectorstore.Store

// Run tests stores; empty returns an Open without any points.
func Run(t *testing.T, empty func(t *testing.T) Open) {
	for _, topic := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"cursor", testCursor},
		{"conflict", testConflict},
		{"tokens", testTokens},
		{"owner", testOwner},
		{"reset", testReset},
		{"workspaces", testWorkspaces},
		{"collections", testCollections},
		{"replace", testReplace},
		{"delete", testDelete},
		{"delete documents", testDeleteDocuments},
		{"words", testWords},
		{"word order", testWordOrder},
		{"word filter", testWordFilter},
		{"word ties", testWordTies},
		{"hostile words", testHostileWords},
		{"dense", testDense},
		{"dense filter", testDenseFilter},
		{"embedded", testEmbedded},
		{"dense dimension", testDenseDimension},
		{"dense follows writes", testDenseFollowsWrites},
		{"dense against brute force", testDenseExact},
		{"dense recall", testDenseRecall},
		{"embedding", testEmbedding},
		{"embedding of what is left", testEmbeddingOfWhatIsLeft},
		{"build", testBuild},
		{"build of the same dimension", testBuildOfTheSameDimension},
		{"build given up", testBuildGivenUp},
		{"two stores", testTwoStores},
		{"large batch", testLargeBatch},
		{"concurrency", testConcurrency},
		{"race", testRace},
	} {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			open := empty(t)
			topic.test(t, &bench{T: t, Store: open(t, model), open: open, ws: "main"})
		})
	}
}

// model is the embedding model that stores are opened for.
const model = "model/one:latest"

// bench is a store under test, with calls for one workspace that must succeed.
type bench struct {
	*testing.T
	vectorstore.Store
	open Open
	ws   domain.WorkspaceID
}

// in returns the bench of another workspace of the same store.
func (s *bench) in(w domain.WorkspaceID) *bench {
	return &bench{T: s.T, Store: s.Store, open: s.open, ws: w}
}

func (s *bench) cursor() int64 {
	s.Helper()
	cursor, err := s.Cursor(s.Context(), s.ws)
	if err != nil {
		s.Fatal(err)
	}
	return cursor
}

// apply applies b as the next change.
func (s *bench) apply(b vectorstore.Batch) {
	s.Helper()
	b.After = s.cursor()
	b.Cursor = b.After + 1
	if err := s.Apply(s.Context(), s.ws, b); err != nil {
		s.Fatal(err)
	}
}

// put upserts points as the next change.
func (s *bench) put(points ...vectorstore.Point) {
	s.Helper()
	s.apply(vectorstore.Batch{Upsert: points})
}

// find returns the ids of the chunks that match text, best first.
func (s *bench) find(text string, documents ...domain.DocumentID) []string {
	s.Helper()
	return s.lexical(vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: text, Limit: 10, Documents: documents})
}

func (s *bench) lexical(q vectorstore.LexicalQuery) []string {
	s.Helper()
	hits, err := s.Lexical(s.Context(), s.ws, q)
	if err != nil {
		s.Fatal(err)
	}
	return s.idsOf(hits)
}

// near returns the ids of the chunks nearest to v, best first.
func (s *bench) near(v []float32, limit int, documents ...domain.DocumentID) []string {
	s.Helper()
	hits, err := s.Dense(s.Context(), s.ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: v, Limit: limit, Documents: documents})
	if err != nil {
		s.Fatal(err)
	}
	return s.idsOf(hits)
}

// idsOf returns the ids of hits, and checks their order: best first, ties by id.
func (s *bench) idsOf(hits []vectorstore.Hit) []string {
	s.Helper()
	var ids []string
	for i, h := range hits {
		if i > 0 && (hits[i-1].Score < h.Score || hits[i-1].Score == h.Score && hits[i-1].ID >= h.ID) {
			s.Errorf("out of order: %+v before %+v", hits[i-1], h)
		}
		ids = append(ids, h.ID)
	}
	return ids
}

func (s *bench) ids(c vectorstore.Collection) []string {
	s.Helper()
	ids, err := s.IDs(s.Context(), s.ws, c)
	if err != nil {
		s.Fatal(err)
	}
	return ids
}

// chunk returns a chunk of the document "d" plus the id's first letter.
func chunk(id, title, text string, vector ...float32) vectorstore.Point {
	return vectorstore.Point{
		Ref:      vectorstore.Ref{Collection: vectorstore.Chunks, ID: id},
		Document: domain.DocumentID("d" + id[:1]), Title: title, Text: text, Vector: vector,
	}
}

// same fails if got differs from want; nil equals empty.
func same[V any](s *bench, what string, got, want V) {
	s.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		s.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// sameSet is like same but ignores the order.
func sameSet(s *bench, what string, got, want []string) {
	s.Helper()
	same(s, what, slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}
