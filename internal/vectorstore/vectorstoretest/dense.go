package vectorstoretest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

func testDense(t *testing.T, s *bench) {
	same(s, "nothing stored", s.near([]float32{1, 0, 0}, 5), nil)
	s.put(chunk("a1", "", "x", 1, 0, 0), chunk("a2", "", "x", 0, 1, 0), chunk("a3", "", "x", 0.6, 0.8, 0), chunk("a4", "", "no vector"), chunk("a0", "", "x", 0, 1, 0))
	same(s, "nearest first, ties by id", s.near([]float32{0, 1, 0}, 5), []string{"a0", "a2", "a3", "a1"})
	same(s, "cut to the limit", s.near([]float32{0, 1, 0}, 1), []string{"a0"})
	same(s, "limit 0", s.near([]float32{0, 1, 0}, 0), nil)
	hits, err := s.Dense(t.Context(), s.ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: []float32{0, 10, 0}, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(hits[0].Score-1) > 1e-3 || math.Abs(hits[2].Score-0.8) > 1e-2 {
		t.Errorf("got scores that are not cosines: %+v", hits)
	}
}

func testEmbedded(t *testing.T, s *bench) {
	embedded := func(what string, c vectorstore.Collection, want, of int) {
		t.Helper()
		got, points, err := s.Embedded(t.Context(), s.ws, c)
		if err != nil {
			t.Fatal(err)
		}
		same(s, what, []int{got, points}, []int{want, of})
	}
	embedded("nothing stored", vectorstore.Chunks, 0, 0)
	s.put(chunk("a1", "", "x", 1, 0), chunk("b1", "", "x", 0, 1))
	embedded("all", vectorstore.Chunks, 2, 2)
	s.in("other").put(chunk("a1", "", "of another workspace"))
	embedded("all of this workspace", vectorstore.Chunks, 2, 2)
	s.put(chunk("c1", "", "no vector"))
	embedded("all but one", vectorstore.Chunks, 2, 3)
	embedded("another collection", vectorstore.Sentences, 0, 0)
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"dc"}})
	embedded("all that are left", vectorstore.Chunks, 2, 2)
	s.put(chunk("a1", "", "without its vector"))
	embedded("written again without a vector", vectorstore.Chunks, 1, 2)
	_, _, err := s.Embedded(t.Context(), s.ws, "never was")
	same(s, "kind of error", domain.KindOf(err), domain.Invalid)
}

func testDenseFilter(t *testing.T, s *bench) {
	var points []vectorstore.Point
	for i := range 40 {
		points = append(points, chunk(fmt.Sprintf("a%02d", i), "", "x", 1, 0))
	}
	s.put(append(points, chunk("b1", "", "x", 0, 1), chunk("c1", "", "x", 0.6, 0.8))...)
	same(s, "of one document", s.near([]float32{1, 0}, 3, "db"), []string{"b1"})
	same(s, "of two documents", s.near([]float32{1, 0}, 3, "db", "dc"), []string{"c1", "b1"})
	same(s, "of no such document", s.near([]float32{1, 0}, 3, "never was"), nil)
}

func testDenseDimension(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "x", 1, 0, 0))
	_, err := s.Dense(t.Context(), s.ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: []float32{1, 0}, Limit: 1})
	same(s, "kind of error of a search", domain.KindOf(err), domain.Invalid)
	if err != nil && (!strings.Contains(err.Error(), "2") || !strings.Contains(err.Error(), "3")) {
		t.Errorf("the error does not name both dimensions: %v", err)
	}
	err = s.Apply(t.Context(), s.ws, vectorstore.Batch{After: 1, Cursor: 2, Upsert: []vectorstore.Point{chunk("a2", "", "x", 1, 0)}})
	same(s, "kind of error of a batch", domain.KindOf(err), domain.Invalid)
	same(s, "points after the refused batch", s.ids(vectorstore.Chunks), []string{"a1"})
}

// testDenseFollowsWrites searches between writes: a store that keeps copies
// must notice every kind of change.
func testDenseFollowsWrites(t *testing.T, s *bench) {
	north := []float32{0, 1}
	s.put(chunk("a1", "", "x", 0, 1), chunk("b1", "", "x", 1, 0))
	same(s, "written", s.near(north, 5), []string{"a1", "b1"})
	s.put(chunk("b1", "", "x", 0, 1), chunk("b2", "", "x", 0.6, 0.8))
	same(s, "changed and added", s.near(north, 5), []string{"a1", "b1", "b2"})
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "deleted", s.near(north, 5), []string{"b1", "b2"})
	s.put(chunk("a1", "", "x", 0, 1))
	same(s, "written again", s.near(north, 5), []string{"a1", "b1", "b2"})
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da", "db"}})
	same(s, "all deleted", s.near(north, 5), nil)
	s.put(chunk("c1", "", "x", 0.6, 0.8))
	same(s, "written after all were deleted", s.near(north, 5), []string{"c1"})
}

// testDenseExact compares with sorting, after writes and deletes.
func testDenseExact(t *testing.T, s *bench) {
	if !s.Exact() {
		t.Skip("this store does not compare every vector")
	}
	const n, dim = 300, 37
	random := rand.New(rand.NewPCG(1, 2))
	vectors := map[string][]float32{}
	var points []vectorstore.Point
	for i := range n {
		id := fmt.Sprintf("a%03d", i)
		vectors[id] = randomUnit(random, dim)
		points = append(points, chunk(id, "", "x", vectors[id]...))
		if i%3 == 0 {
			points[i].Document = "deleted"
		}
	}
	s.put(points...)
	s.near(vectors["a000"], 1)
	for i := 0; i < n; i += 3 {
		delete(vectors, points[i].ID)
	}
	s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"deleted"}})
	for range 20 {
		q := randomUnit(random, dim)
		same(s, "nearest", s.near(q, 10), nearest(vectors, q, 10))
	}
}

// testDenseRecall checks that nearly all of the nearest vectors are found, also
// by an approximate store.
func testDenseRecall(t *testing.T, s *bench) {
	const n, dim, k, questions, floor = 1500, 48, 10, 30, 0.95
	random := rand.New(rand.NewPCG(3, 4))
	vectors := map[string][]float32{}
	var points []vectorstore.Point
	for i := range n {
		id := fmt.Sprintf("a%04d", i)
		vectors[id] = randomUnit(random, dim)
		points = append(points, chunk(id, "", "x", vectors[id]...))
	}
	s.put(points...)
	found := 0
	for range questions {
		q := randomUnit(random, dim)
		near := s.near(q, k)
		for _, id := range nearest(vectors, q, k) {
			if slices.Contains(near, id) {
				found++
			}
		}
	}
	if recall := float64(found) / (k * questions); recall < floor {
		t.Errorf("top %d: got recall %.3f, want %.2f", k, recall, floor)
	}
}

func randomUnit(random *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	var sum float64
	for i := range v {
		x := random.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// nearest sorts all vectors by their cosine with q.
func nearest(vectors map[string][]float32, q []float32, k int) []string {
	score := map[string]float64{}
	var ids []string
	for id, v := range vectors {
		ids = append(ids, id)
		for i := range v {
			score[id] += float64(v[i]) * float64(q[i])
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if score[a] > score[b] {
			return -1
		}
		return 1
	})
	return ids[:k]
}
