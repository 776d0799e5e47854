package vectorstoretest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

const other = "model/two"

// build starts or continues a build.
func (s *bench) build(model string, dimension int) vectorstore.Build {
	s.Helper()
	b, err := s.Build(s.Context(), vectorstore.Embedding{Model: model, Dimension: dimension})
	if err != nil {
		s.Fatal(err)
	}
	return b
}

// fill writes points to a build as its first change.
func (s *bench) fill(b vectorstore.Build, points ...vectorstore.Point) {
	s.Helper()
	if err := b.Apply(s.Context(), s.ws, vectorstore.Batch{Cursor: 1, Upsert: points}); err != nil {
		s.Fatal(err)
	}
}

// begun checks the cursor of a build and its points.
func (s *bench) begun(what string, b vectorstore.Build, cursor int64, want ...string) {
	s.Helper()
	at, err := b.Cursor(s.Context(), s.ws)
	if err != nil {
		s.Fatal(err)
	}
	same(s, what+": cursor", at, cursor)
	ids, err := b.IDs(s.Context(), s.ws, vectorstore.Chunks)
	if err != nil {
		s.Fatal(err)
	}
	same(s, what+": points", ids, want)
}

func (s *bench) embedding() vectorstore.Embedding {
	s.Helper()
	e, err := s.Embedding(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return e
}

func testEmbedding(t *testing.T, s *bench) {
	same(s, "embedding of nothing", s.embedding(), vectorstore.Embedding{})
	s.put(chunk("a1", "", "granite", 1, 0, 0))
	same(s, "embedding", s.embedding(), vectorstore.Embedding{Model: model, Dimension: 3})
	for _, stranger := range []vectorstore.Store{s.open(t, other), s.ForModel(other), s.ForModel(other)} { // a refused batch changes nothing
		err := stranger.Apply(t.Context(), s.ws, vectorstore.Batch{After: 1, Cursor: 2, Upsert: []vectorstore.Point{chunk("a2", "", "x", 0, 1, 0)}})
		s.refused("a batch of another model", err)
		_, err = stranger.Dense(t.Context(), s.ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: []float32{1, 0, 0}, Limit: 1})
		s.refused("a search of another model", err)
		same(s, "points", s.ids(vectorstore.Chunks), []string{"a1"})
		same(s, "cursor", s.cursor(), 1)
	}
	same(s, "searched by the model that was turned to again", (&bench{T: s.T, Store: s.ForModel(other).ForModel(model), ws: s.ws}).near([]float32{1, 0, 0}, 1), []string{"a1"})
}

// testEmbeddingOfWhatIsLeft removes the vectors of one model, in every possible
// way, and then writes vectors of another.
func testEmbeddingOfWhatIsLeft(t *testing.T, s *bench) {
	second := s.in("second")
	emptied := map[string]func(){
		"reset": func() {
			if err := s.Reset(t.Context(), s.ws, 0); err != nil {
				t.Fatal(err)
			}
		},
		"deleted":         func() { s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}}) },
		"without vectors": func() { s.put(chunk("a1", "", "granite")) },
	}
	for _, way := range slices.Sorted(maps.Keys(emptied)) {
		s.put(chunk("a1", "", "granite", 1, 0))
		second.put(chunk("a1", "", "granite", 0, 1))
		second.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"da"}})
		same(s, way+": one workspace has vectors", s.embedding(), vectorstore.Embedding{Model: model, Dimension: 2})
		emptied[way]()
		same(s, way+": none has vectors", s.embedding(), vectorstore.Embedding{})
	}
	stranger := &bench{T: t, Store: s.open(t, other), open: s.open, ws: s.ws}
	same(s, "vectors of nothing", stranger.near([]float32{0, 0, 1}, 5), nil)
	stranger.adopts(chunk("a2", "", "marble", 0, 0, 1))
	same(s, "vectors of another model", stranger.near([]float32{0, 0, 1}, 5), []string{"a2"})
	same(s, "another model", s.embedding(), vectorstore.Embedding{Model: other, Dimension: 3})
	_, err := s.Dense(t.Context(), s.ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: []float32{1, 0}, Limit: 1})
	s.refused("a search by who knows the model before", err)
}

// adopts puts points like a projector: if the store reset its cursor for vectors
// of another model, it puts them again from there.
func (s *bench) adopts(points ...vectorstore.Point) {
	s.Helper()
	at := s.cursor()
	err := s.Apply(s.Context(), s.ws, vectorstore.Batch{After: at, Cursor: at + 1, Upsert: points})
	switch {
	case domain.KindOf(err) == domain.Conflict && s.cursor() == 0 && at > 0:
		s.put(points...)
	case err != nil:
		s.Fatal(err)
	}
}

// refused checks that err is the error about two models.
func (s *bench) refused(what string, err error) {
	s.Helper()
	same(s, "kind of error of "+what, domain.KindOf(err), domain.Invalid)
	if err != nil && (!strings.Contains(err.Error(), model) || !strings.Contains(err.Error(), other)) {
		s.Errorf("%s: the error does not name both models: %v", what, err)
	}
}

func testBuild(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite", 1, 0), chunk("a2", "", "marble", 0, 1))
	s.in("forgotten").put(chunk("f1", "", "granite", 1, 0))
	b := s.build(other, 3)
	s.begun("new build", b, 0)
	s.fill(b, chunk("a1", "", "granite", 0, 0, 1), chunk("b1", "", "slate", 0, 1, 0))
	same(s, "live vectors while building", s.near([]float32{1, 0}, 5), []string{"a1", "a2"})
	same(s, "live words while building", s.find("slate"), nil)
	s.put(chunk("a3", "", "gneiss", 1, 0))
	same(s, "written while building", s.find("gneiss"), []string{"a3"})
	b = s.build(other, 3)
	s.begun("build gone on with", b, 1, "a1", "b1")
	if err := b.Switch(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(s, "cursor after the switch", s.cursor(), 1)
	same(s, "points after the switch", s.ids(vectorstore.Chunks), []string{"a1", "b1"})
	same(s, "words after the switch", s.find("slate gneiss"), []string{"b1"})
	same(s, "embedding after the switch", s.embedding(), vectorstore.Embedding{Model: other, Dimension: 3})
	same(s, "cursor of a workspace that was not built", s.in("forgotten").cursor(), 0)
	same(s, "points of a workspace that was not built", s.in("forgotten").ids(vectorstore.Chunks), nil)
	after := &bench{T: t, Store: s.open(t, other), open: s.open, ws: s.ws}
	same(s, "vectors after the switch", after.near([]float32{0, 0, 1}, 5), []string{"a1", "b1"})
	after.put(chunk("c1", "", "basalt", 0, 0, 1))
	same(s, "written after the switch", after.near([]float32{0, 0, 1}, 1), []string{"a1"})
	s.begun("the next build", after.build(model, 2), 0)
}

// testBuildOfTheSameDimension uses two models with the same dimension.
func testBuildOfTheSameDimension(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite", 1, 0))
	same(s, "before", s.near([]float32{1, 0}, 5), []string{"a1"})
	b := s.build(other, 2)
	s.fill(b, chunk("a1", "", "granite", 0, 1))
	if err := b.Switch(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Dense(t.Context(), s.ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: []float32{1, 0}, Limit: 1})
	s.refused("a search by who knows the model before", err)
	err = s.Apply(t.Context(), s.ws, vectorstore.Batch{After: 1, Cursor: 2, Upsert: []vectorstore.Point{chunk("a2", "", "x", 1, 0)}})
	s.refused("a batch by who knows the model before", err)
	same(s, "words", s.find("granite"), []string{"a1"})
}

func testBuildGivenUp(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite", 1, 0))
	s.fill(s.build(other, 3), chunk("b1", "", "slate", 1, 0, 0))
	third := s.build("model/three", 4)
	s.begun("build of a third model", third, 0)
	s.fill(third, chunk("c1", "", "slate", 1, 0, 0, 0))
	if err := third.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.begun("build after a discarded one", s.build("model/three", 4), 0)
	same(s, "live points", s.ids(vectorstore.Chunks), []string{"a1"})
	same(s, "live vectors", s.near([]float32{1, 0}, 5), []string{"a1"})
}

// testTwoStores writes through one store and another in turn.
func testTwoStores(t *testing.T, s *bench) {
	second := &bench{T: t, Store: s.open(t, model), open: s.open, ws: s.ws}
	s.put(chunk("a1", "", "granite", 1, 0))
	same(s, "seen by the other", second.near([]float32{1, 0}, 5), []string{"a1"})
	second.put(chunk("b1", "", "slate", 0.6, 0.8))
	same(s, "seen by the first", s.near([]float32{1, 0}, 5), []string{"a1", "b1"})
	err := s.Apply(t.Context(), s.ws, vectorstore.Batch{After: 1, Cursor: 3, DeleteDocuments: []domain.DocumentID{"da"}})
	same(s, "kind of error of a batch that comes late", domain.KindOf(err), domain.Conflict)
	same(s, "points", second.ids(vectorstore.Chunks), []string{"a1", "b1"})
}
