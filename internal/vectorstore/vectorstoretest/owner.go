package vectorstoretest

import (
	"errors"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// testOwner has two ledgers claim a workspace in turn.
func testOwner(t *testing.T, s *bench) {
	ctx := t.Context()
	another := &bench{T: t, Store: s.open(t, model), open: s.open, ws: s.ws}
	foreign := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, domain.ErrForeign) || domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: error %v, want that of another ledger's store", what, err)
		}
	}
	claim := func(s *bench, w domain.WorkspaceID, owner string, takeOver bool) {
		t.Helper()
		if err := s.Claim(ctx, w, owner, takeOver); err != nil {
			t.Fatal(err)
		}
	}
	point := func(id string) vectorstore.Point {
		return vectorstore.Point{Ref: vectorstore.Ref{Collection: vectorstore.Chunks, ID: id}, Document: "d", Title: "Harbours", Text: "the lamp of " + id, Vector: []float32{1, 0}}
	}
	claim(s, s.ws, "first", false) // of a workspace never written to
	s.apply(vectorstore.Batch{Token: 9, Upsert: []vectorstore.Point{point("a")}})
	claim(s, s.ws, "first", false)
	foreign("a claim", another.Claim(ctx, s.ws, "second", false))
	_, err := another.Cursor(ctx, s.ws)
	foreign("a look at the cursor", err)
	foreign("a batch", another.Apply(ctx, s.ws, vectorstore.Batch{Token: 10, After: 1, Cursor: 2}))
	foreign("a batch from the beginning", another.Apply(ctx, s.ws, vectorstore.Batch{Token: 10, Cursor: 1, Upsert: []vectorstore.Point{point("b")}}))
	foreign("a reset", another.Reset(ctx, s.ws, 10))
	if found := s.find("lamp"); s.cursor() != 1 || len(found) != 1 {
		t.Errorf("after what was refused the cursor is %d, and found is %v", s.cursor(), found)
	}

	claim(another, s.ws, "second", true)
	if found := another.find("lamp"); another.cursor() != 0 || len(found) != 0 {
		t.Errorf("after a take-over the cursor is %d, and found is %v", another.cursor(), found)
	}
	another.apply(vectorstore.Batch{Token: 1, Upsert: []vectorstore.Point{point("c")}}) // by a clock that is behind
	claim(another, s.ws, "second", true)                                                // claiming its own changes nothing
	if found := another.find("lamp"); len(found) != 1 || found[0] != "c" {
		t.Errorf("the second finds %v", found)
	}
	_, err = s.Cursor(ctx, s.ws)
	foreign("the cursor for the first", err)
	foreign("a batch of the first", s.Apply(ctx, s.ws, vectorstore.Batch{Token: 11, After: 1, Cursor: 2, Upsert: []vectorstore.Point{point("d")}}))
	if err := another.Reset(ctx, s.ws, 2); err != nil {
		t.Fatal(err)
	}
	foreign("a claim after a reset", s.Claim(ctx, s.ws, "first", false))

	before := s.in("filled by a version without owners")
	before.put(point("e"))
	claim(s, before.ws, "first", false)
	if found := before.find("lamp"); len(found) != 1 {
		t.Errorf("of what was nobody's, %v is found", found)
	}
	foreign("a claim of what was nobody's", another.Claim(ctx, before.ws, "second", false))
}
