package graphstoretest

import (
	"errors"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// testOwner has two ledgers claim a workspace in turn.
func testOwner(t *testing.T, s *bench) {
	ctx := t.Context()
	foreign := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, domain.ErrForeign) || domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: error %v, want that of another ledger's store", what, err)
		}
	}
	claim := func(owner string, takeOver bool) {
		t.Helper()
		if err := s.Claim(ctx, s.ws, owner, takeOver); err != nil {
			t.Fatal(err)
		}
	}
	claim("first", false) // of a workspace never written to
	s.apply(graphstore.Batch{Token: 9, Documents: []graphstore.Document{document("d", "c")}})
	claim("first", false)
	foreign("a claim", s.Claim(ctx, s.ws, "second", false))
	_, err := s.Cursor(ctx, s.ws)
	foreign("a look at the cursor", err)
	foreign("a batch", s.Apply(ctx, s.ws, graphstore.Batch{Token: 10, After: 1, Cursor: 2}))
	foreign("a batch from the beginning", s.Apply(ctx, s.ws, graphstore.Batch{Token: 10, After: 0, Cursor: 1}))
	foreign("a reset", s.Reset(ctx, s.ws, 10))
	claim("first", false)
	if at := must(s.Cursor(ctx, s.ws))(s); at != 1 {
		t.Errorf("the cursor is %d after what was refused", at)
	}

	claim("second", true)
	if at := must(s.Cursor(ctx, s.ws))(s); at != 0 {
		t.Errorf("the cursor is %d after a take-over", at)
	}
	same(s, "the graph after a take-over", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{})
	s.apply(graphstore.Batch{Token: 1, Documents: []graphstore.Document{document("e", "f")}}) // by a clock that is behind
	claim("second", true)                                                                     // claiming its own changes nothing
	same(s, "the graph of the second", must(s.Stats(ctx, s.ws))(s), graphstore.Stats{Documents: 1, Chunks: 1})
	foreign("a claim of the first", s.Claim(ctx, s.ws, "first", false))
	claim("second", false)
	if err := s.Reset(ctx, s.ws, 2); err != nil {
		t.Fatal(err)
	}
	foreign("a claim after a reset", s.Claim(ctx, s.ws, "first", false))

	before := s.other() // filled by a version without owners
	before.apply(graphstore.Batch{Documents: []graphstore.Document{document("d", "c")}})
	if err := s.Claim(ctx, before.ws, "first", false); err != nil {
		t.Fatal(err)
	}
	same(s, "the graph that was nobody's", must(s.Stats(ctx, before.ws))(s), graphstore.Stats{Documents: 1, Chunks: 1})
	foreign("a claim of what was nobody's", s.Claim(ctx, before.ws, "second", false))
}
