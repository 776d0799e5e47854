package graphstoretest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// testTokens writes under two leases in turn.
func testTokens(t *testing.T, s *bench) {
	ctx := t.Context()
	apply := func(token, after, cursor int64, name string) error {
		return s.Apply(ctx, s.ws, graphstore.Batch{Token: token, After: after, Cursor: cursor, Entities: []graphstore.Entity{entity(name)}})
	}
	refused := func(what string, err error) {
		t.Helper()
		same(s, "kind of error of "+what, domain.KindOf(err), domain.Conflict)
	}
	granted := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	granted(apply(2, 0, 1, "ann"))
	refused("a batch of an earlier lease", apply(1, 1, 2, "bob"))
	refused("a reset of an earlier lease", s.Reset(ctx, s.ws, 1))
	same(s, "entities", s.names(ctx, graphstore.EntityQuery{}), []string{"ann"})
	granted(s.Reset(ctx, s.ws, 3))
	refused("a batch from before a reset", apply(2, 0, 1, "bob"))
	granted(apply(3, 0, 1, "cid"))
	refused("a batch of an earlier lease to the same change", apply(2, 0, 1, "bob"))
	granted(apply(3, 0, 1, "bob")) // once more
	same(s, "entities", s.names(ctx, graphstore.EntityQuery{}), []string{"cid"})
}

// What the changes of a race do, by their number modulo 3: they write the
// document "shared", add a document, and delete that again.
const (
	deletes = iota
	shares
	adds
)

// batchOf brings a graph from one change to another.
func batchOf(token, after, cursor int64) graphstore.Batch {
	b := graphstore.Batch{Token: token, After: after, Cursor: cursor}
	put := func(name string, c domain.ChunkID) {
		d := domain.DocumentID(name)
		b.Documents = append(b.Documents, document(d, c))
		b.Entities = append(b.Entities, entity(name, mention(d, c, 0)))
	}
	for c := after + 1; c <= cursor; c++ {
		switch c % 3 {
		case shares:
			put("shared", domain.ChunkID(fmt.Sprint("of ", c)))
		case adds:
			if c == cursor { // if not, it is deleted again
				put(fmt.Sprint("added by ", c), "added")
			}
		case deletes:
			name := fmt.Sprint("added by ", c-1)
			b.DeleteDocuments, b.DeleteEntities = append(b.DeleteDocuments, domain.DocumentID(name)), append(b.DeleteEntities, domain.EntityID(name))
		}
	}
	return b
}

// testRace lets two writers start from the same change races times, one of them to go further than the other. One wins, and the other goes on from there.
func testRace(t *testing.T, s *bench) {
	for round := range s.races {
		at := 3 * round
		var errs [2]error
		var ready, done sync.WaitGroup
		ready.Add(2)
		for i := range errs {
			done.Go(func() {
				// Under one lease or two; each starts first equally often.
				b := batchOf(2*round+int64(i)*(round/2%2), at, at+2+(int64(i)+round)%2)
				ready.Done()
				ready.Wait()
				errs[i] = s.Apply(t.Context(), s.ws, b)
			})
		}
		done.Wait()
		if won := slices.Index(errs[:], nil); won < 0 || domain.KindOf(errs[1-won]) != domain.Conflict {
			t.Fatalf("round %d: got %v, want one winner and a conflict", round, errs)
		}
		if reached := must(s.Cursor(t.Context(), s.ws))(s); reached < at+3 {
			if err := s.Apply(t.Context(), s.ws, batchOf(2*round+1, reached, at+3)); err != nil {
				t.Fatal(err)
			}
		}
		want := graphstore.Stats{Documents: 1, Chunks: 1, Entities: 1}
		same(s, fmt.Sprint("what is there after round ", round), must(s.Stats(t.Context(), s.ws))(s), want)
		same(s, "the chunk of the last version", must(s.Links(t.Context(), s.ws, "shared", 0))(s)[0].Chunk, domain.ChunkID(fmt.Sprint("of ", at+shares)))
		if t.Failed() {
			return
		}
	}
}
