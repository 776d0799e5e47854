package vectorstoretest

import (
	"errors"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// writer writes parts of a Fill.
type writer = func(vectorstore.Batch) error

// points is a part of a Fill.
func points(points ...vectorstore.Point) vectorstore.Batch { return vectorstore.Batch{Upsert: points} }

// fillTo fills from the cursor by what pieces writes.
func (s *bench) fillTo(cursor int64, pieces func(writer) error) error {
	s.Helper()
	return s.Fill(s.Context(), s.ws, s.cursor(), cursor, pieces)
}

func testFill(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite", 1, 0), chunk("b1", "", "granite", 0, 1))
	s.in("other").put(chunk("b1", "", "granite", 1, 0))
	same(s, "vectors before", s.near([]float32{0, 1}, 5), []string{"b1", "a1"})
	err := s.fillTo(9, func(write writer) error {
		err := errors.Join(
			write(vectorstore.Batch{After: 70, Cursor: 80, Upsert: []vectorstore.Point{chunk("c1", "", "slate", 0, 1)}}),
			write(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"db"}}),
			write(vectorstore.Batch{Delete: []vectorstore.Ref{ref("a1")}, Upsert: []vectorstore.Point{chunk("c2", "", "slate", 1, 0)}}),
		)
		same(s, "cursor within", s.cursor(), 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	same(s, "cursor", s.cursor(), 9)
	same(s, "points", s.ids(vectorstore.Chunks), []string{"c1", "c2"})
	sameSet(s, "words", s.find("slate granite"), []string{"c1", "c2"})
	same(s, "vectors", s.near([]float32{0, 1}, 5), []string{"c1", "c2"})
	same(s, "points of the other workspace", s.in("other").ids(vectorstore.Chunks), []string{"b1"})
	for what, fill := range map[string]struct{ after, cursor int64 }{"done already": {1, 9}, "less than there is": {1, 8}} {
		if err := s.Fill(t.Context(), s.ws, fill.after, fill.cursor, func(writer) error { return errors.New("called") }); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	err = s.Fill(t.Context(), s.ws, 3, 12, func(write writer) error { return write(points(chunk("x1", "", "x"))) })
	same(s, "kind of error from elsewhere", domain.KindOf(err), domain.Conflict)
	if err := s.fillTo(12, func(writer) error { return nil }); err != nil {
		t.Error(err)
	}
	same(s, "cursor after nothing", s.cursor(), 12)
	same(s, "points after nothing", s.ids(vectorstore.Chunks), []string{"c1", "c2"})
}

// testFillCutOff cuts a Fill off between two parts, and fills again.
func testFillCutOff(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "granite", 1, 0))
	same(s, "vectors before", s.near([]float32{1, 0}, 5), []string{"a1"})
	cut := errors.New("cut off")
	err := s.fillTo(5, func(write writer) error {
		return errors.Join(write(points(chunk("b1", "", "slate", 0, 1), chunk("b2", "", "slate", 0, 1))), cut)
	})
	if !errors.Is(err, cut) {
		t.Errorf("error %v", err)
	}
	same(s, "cursor", s.cursor(), 1)
	err = s.fillTo(6, func(write writer) error {
		same(s, "found by who has to delete", s.ids(vectorstore.Chunks), []string{"a1", "b1", "b2"})
		return errors.Join(write(points(chunk("b1", "", "marble", 1, 0))), write(vectorstore.Batch{Delete: []vectorstore.Ref{ref("b2")}}))
	})
	if err != nil {
		t.Fatal(err)
	}
	same(s, "cursor when filled", s.cursor(), 6)
	sameSet(s, "words when filled", s.find("granite slate marble"), []string{"a1", "b1"})
	sameSet(s, "vectors when filled", s.near([]float32{1, 0}, 5), []string{"a1", "b1"})
}

// testFillOvertaken has another process apply its batches between two parts.
func testFillOvertaken(t *testing.T, s *bench) {
	second := &bench{T: t, Store: s.open(t, model), open: s.open, ws: s.ws}
	s.put(chunk("a1", "", "granite", 1, 0))
	err := s.fillTo(2, func(write writer) error {
		if err := write(points(chunk("a1", "", "granite", 1, 0), chunk("b1", "", "slate", 0, 1))); err != nil {
			return err
		}
		second.put(chunk("b1", "", "slate", 0, 1))
		second.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{"db"}})
		return write(points(chunk("b2", "", "slate", 0, 1)))
	})
	same(s, "kind of error", domain.KindOf(err), domain.Conflict)
	if s.cursor() < 3 {
		s.complete(3, chunk("a1", "", "granite", 1, 0)) // as whoever finds the cursor there does
	}
	same(s, "cursor", s.cursor(), 3)
	same(s, "points", s.ids(vectorstore.Chunks), []string{"a1"})
	same(s, "vectors", second.near([]float32{0, 1}, 5), []string{"a1"})
}

// complete fills the chunks of an index as a projector does: it writes all
// there are, and then deletes what is there and should not be.
func (s *bench) complete(cursor int64, all ...vectorstore.Point) {
	s.Helper()
	if err := s.fillTo(cursor, func(write writer) error { return s.completing(write, all...) }); err != nil {
		s.Fatal(err)
	}
}

func (s *bench) completing(write writer, all ...vectorstore.Point) error {
	if err := write(points(all...)); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, p := range all {
		wanted[p.ID] = true
	}
	var stale vectorstore.Batch
	for _, id := range s.ids(vectorstore.Chunks) {
		if !wanted[id] {
			stale.Delete = append(stale.Delete, ref(id))
		}
	}
	return write(stale)
}

// testFillEmptied empties the index between two parts: what was written before
// is lost, so that the Fill may not end as if it were there.
func testFillEmptied(t *testing.T, s *bench) {
	second := &bench{T: t, Store: s.open(t, model), open: s.open, ws: s.ws}
	for _, again := range []bool{false, true} {
		if err := s.Reset(t.Context(), s.ws); err != nil {
			t.Fatal(err)
		}
		err := s.fillTo(4, func(write writer) error {
			if err := write(points(chunk("a1", "", "granite", 1, 0))); err != nil {
				return err
			}
			if err := second.Reset(t.Context(), s.ws); err != nil {
				return err
			}
			if again { // and begun to fill by who emptied it
				_ = second.fillTo(4, func(write writer) error {
					return errors.Join(write(points(chunk("a1", "", "granite", 1, 0))), errors.New("cut off"))
				})
			}
			return write(points(chunk("b1", "", "slate", 0, 1)))
		})
		same(s, "kind of error", domain.KindOf(err), domain.Conflict)
		same(s, "cursor", s.cursor(), 0)
	}
	s.complete(4, chunk("a1", "", "granite", 1, 0), chunk("b1", "", "slate", 0, 1))
	same(s, "points", s.ids(vectorstore.Chunks), []string{"a1", "b1"})
}

// testTwoFills has two processes fill side by side, one from an older graph
// than the other.
func testTwoFills(t *testing.T, s *bench) {
	second := &bench{T: t, Store: s.open(t, model), open: s.open, ws: s.ws}
	s.put(chunk("a1", "", "granite", 1, 0))
	err := s.fillTo(2, func(older writer) error {
		if err := older(points(chunk("b1", "", "slate", 0, 1))); err != nil {
			return err
		}
		err := second.fillTo(3, func(newer writer) error {
			if err := older(points(chunk("b2", "", "slate", 0, 1))); err != nil && domain.KindOf(err) != domain.Conflict {
				return err
			}
			return second.completing(newer, chunk("a1", "", "granite", 1, 0), chunk("c1", "", "marble", 0, 1))
		})
		if err != nil {
			t.Error(err)
		}
		return older(points(chunk("b3", "", "slate", 0, 1)))
	})
	same(s, "kind of error of the older one", domain.KindOf(err), domain.Conflict)
	if s.cursor() < 3 {
		s.complete(3, chunk("a1", "", "granite", 1, 0), chunk("c1", "", "marble", 0, 1))
	}
	same(s, "cursor", s.cursor(), 3)
	same(s, "points", s.ids(vectorstore.Chunks), []string{"a1", "c1"})

	all := []vectorstore.Point{chunk("a1", "", "granite", 1, 0), chunk("d1", "", "gneiss", 0, 1)}
	err = s.fillTo(4, func(one writer) error {
		if err := one(points(all[0])); err != nil {
			return err
		}
		second.complete(4, all...) // to the same cursor
		return one(points(all[1]))
	})
	if err != nil && domain.KindOf(err) != domain.Conflict {
		t.Error(err)
	}
	same(s, "cursor of two to the same", s.cursor(), 4)
	same(s, "points of two to the same", s.ids(vectorstore.Chunks), []string{"a1", "d1"})
}
