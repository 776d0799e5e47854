package vectorstoretest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/vectorstore"
)

// testTokens writes under two leases in turn.
func testTokens(t *testing.T, s *bench) {
	apply := func(token, after, cursor int64, p vectorstore.Point) error {
		return s.Apply(t.Context(), s.ws, vectorstore.Batch{Token: token, After: after, Cursor: cursor, Upsert: []vectorstore.Point{p}})
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
	granted(apply(2, 0, 1, chunk("a1", "", "granite")))
	refused("a batch of an earlier lease", apply(1, 1, 2, chunk("b1", "", "slate")))
	refused("a reset of an earlier lease", s.Reset(t.Context(), s.ws, 1))
	same(s, "points", s.ids(vectorstore.Chunks), []string{"a1"})
	granted(s.Reset(t.Context(), s.ws, 3))
	refused("a batch from before a reset", apply(2, 0, 1, chunk("b1", "", "slate")))
	granted(apply(3, 0, 1, chunk("c1", "", "marble")))
	refused("a batch of an earlier lease to the same change", apply(2, 0, 1, chunk("b1", "", "slate")))
	granted(apply(3, 0, 1, chunk("b1", "", "slate"))) // once more
	same(s, "points", s.ids(vectorstore.Chunks), []string{"c1"})
}

// What the changes of a race do, by their number modulo 3: they write the
// document "shared", add a document, and delete that again.
const (
	deletes = iota
	shares
	adds
)

// documentOf returns the document of a change.
func documentOf(change int64) domain.DocumentID {
	switch change % 3 {
	case shares:
		return "shared"
	case adds:
		return domain.DocumentID(fmt.Sprint("added by ", change))
	default:
		return domain.DocumentID(fmt.Sprint("added by ", change-1))
	}
}

// pointsAt returns the points of a document after a change.
func pointsAt(id domain.DocumentID, at int64) []vectorstore.Point {
	wrote := int64(-1)
	for c := at; c > 0 && wrote < 0; c-- {
		if documentOf(c) == id {
			wrote = c
		}
	}
	if wrote < 0 || wrote%3 == deletes {
		return nil
	}
	var points []vectorstore.Point
	for _, c := range vectorstore.Collections() {
		for _, n := range []string{"first", fmt.Sprint("of ", wrote)} { // one stays when the document is written again
			points = append(points, vectorstore.Point{
				Ref: vectorstore.Ref{Collection: c, ID: fmt.Sprintf("%s, %s", id, n)}, Document: id, Text: fmt.Sprint("written", wrote),
			})
		}
	}
	return points
}

// batchOf brings an index from one change to another.
func batchOf(token, after, cursor int64) vectorstore.Batch {
	b := vectorstore.Batch{Token: token, After: after, Cursor: cursor}
	for c := after + 1; c <= cursor; c++ {
		if id := documentOf(c); !slices.Contains(b.DeleteDocuments, id) {
			b.DeleteDocuments = append(b.DeleteDocuments, id)
			b.Upsert = append(b.Upsert, pointsAt(id, cursor)...)
		}
	}
	return b
}

// testRace lets two processes start from the same change again and again, one of
// them to go further than the other. One wins, and the other goes on from there.
func testRace(t *testing.T, s *bench) {
	rounds := long.Or[int64](50, 200)
	stores := [2]vectorstore.Store{s, s.open(t, model)}
	for round := range rounds {
		at := 3 * round
		var errs [2]error
		var ready, done sync.WaitGroup
		ready.Add(2)
		for i := range stores {
			done.Go(func() {
				// Under one lease or two; each starts first equally often.
				b := batchOf(2*round+int64(i)*(round/2%2), at, at+2+(int64(i)+round)%2)
				ready.Done()
				ready.Wait()
				errs[i] = stores[i].Apply(t.Context(), s.ws, b)
			})
		}
		done.Wait()
		if won := slices.Index(errs[:], nil); won < 0 || domain.KindOf(errs[1-won]) != domain.Conflict {
			t.Fatalf("round %d: got %v, want one winner and a conflict", round, errs)
		}
		if reached := s.cursor(); reached < at+3 {
			if err := s.Apply(t.Context(), s.ws, batchOf(2*round+1, reached, at+3)); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"shared, first", fmt.Sprint("shared, of ", at+shares)}
		for _, c := range vectorstore.Collections() {
			same(s, fmt.Sprintf("%s after round %d", c, round), s.ids(c), want)
		}
		same(s, "words of the last version", len(s.find(fmt.Sprint("written", at+shares))), 2)
		if t.Failed() {
			return
		}
	}
}
