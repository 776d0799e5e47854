package embedded_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
	"github.com/clewhq/clew/internal/vectorstore/vectorstoretest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	vectorstoretest.Run(t, func(t *testing.T) vectorstoretest.Open {
		file := path(t)
		return func(t *testing.T, model string) vectorstore.Store { return open(t, file, model) }
	})
}

const ws domain.WorkspaceID = "main"

func path(t testing.TB) string { return filepath.Join(t.TempDir(), "vectors.db") }

func open(t testing.TB, path, model string) *embedded.Store {
	t.Helper()
	s, err := embedded.Open(t.Context(), path, model)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func apply(t testing.TB, s vectorstore.Store, b vectorstore.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), ws, b); err != nil {
		t.Fatal(err)
	}
}

func point(id, text string, vector ...float32) vectorstore.Point {
	return vectorstore.Point{Ref: vectorstore.Ref{Collection: vectorstore.Chunks, ID: id}, Document: "d" + domain.DocumentID(id), Text: text, Vector: vector}
}

func nearest(t *testing.T, s vectorstore.Store, v ...float32) []string {
	t.Helper()
	hits, err := s.Dense(t.Context(), ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: v, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

// TestTwoProcesses opens the file twice, as two processes would: the copies of
// vectors that one keeps must follow what the other writes.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	file := path(t)
	one, two := open(t, file, ""), open(t, file, "")
	check := func(want ...string) {
		t.Helper()
		for i, s := range []vectorstore.Store{one, two} {
			if diff := cmp.Diff(want, nearest(t, s, 1, 0)); diff != "" {
				t.Errorf("store %d (-want +got):\n%s", i, diff)
			}
		}
	}
	apply(t, one, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point("a", "x", 1, 0), point("b", "x", 0, 1)}})
	check("a", "b")
	apply(t, two, vectorstore.Batch{After: 1, Cursor: 2, DeleteDocuments: []domain.DocumentID{"da"}})
	check("b")
	if err := two.Reset(t.Context(), ws); err != nil {
		t.Fatal(err)
	}
	apply(t, two, vectorstore.Batch{Cursor: 2, Upsert: []vectorstore.Point{point("c", "x", 1, 0)}})
	check("c")
}

// TestAnotherDimensionOnceAllAreDeleted needs no rebuild: there is nothing left
// that it could not be compared with.
func TestAnotherDimensionOnceAllAreDeleted(t *testing.T) {
	t.Parallel()
	s := open(t, path(t), "")
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point("a", "x", 0, 1)}})
	apply(t, s, vectorstore.Batch{After: 1, Cursor: 2, DeleteDocuments: []domain.DocumentID{"da"}})
	apply(t, s, vectorstore.Batch{After: 2, Cursor: 3, Upsert: []vectorstore.Point{point("c", "x", 0, 0, 1)}})
	if diff := cmp.Diff([]string{"c"}, nearest(t, s, 0, 0, 1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	file := path(t)
	s, err := embedded.Open(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, vectorstore.Batch{Cursor: 3, Upsert: []vectorstore.Point{point("a", "granite", 1, 0)}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, nearest(t, open(t, file, ""), 1, 0)); diff != "" {
		t.Errorf("after opening again (-want +got):\n%s", diff)
	}
}

// TestAFileWithEntitiesIsFilledAgain opens a file of layout 3, which held points
// of entities and relations too: it is empty, so that the projector fills it.
func TestAFileWithEntitiesIsFilledAgain(t *testing.T) {
	t.Parallel()
	file := path(t)
	layout, err := os.ReadFile(filepath.Join("testdata", "layout3.sql"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{string(layout), "PRAGMA user_version = 3"} {
		if _, err := db.Writer.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, file, "")
	cursor, err := s.Cursor(t.Context(), ws)
	if err != nil || cursor != 0 {
		t.Errorf("the cursor is at %d (%v), want 0", cursor, err)
	}
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point("a", "granite", 1, 0)}})
	if diff := cmp.Diff([]string{"a"}, nearest(t, s, 1, 0)); diff != "" {
		t.Errorf("filled again (-want +got):\n%s", diff)
	}
}

// TestDeletedWordsLeaveTheFile looks for deleted and replaced words in the
// bytes on disk: in the rows, in the full-text index, in the log.
func TestDeletedWordsLeaveTheFile(t *testing.T) {
	t.Parallel()
	file := path(t)
	s := open(t, file, "")
	var points []vectorstore.Point
	for i := range 400 {
		points = append(points, point(fmt.Sprint("k", i), fmt.Sprintf("keeper number %d of the xylem", i)))
	}
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: append(points, point("gone", "the xylophantine marker"), point("changed", "a quadrillobe stands here"))})
	// The index keeps words without what they share with the word before.
	markers := []string{"xylophantin", "ophantin", "quadrillob", "uadrillob"}
	if n := count(t, file, markers); n == 0 {
		t.Fatal("the markers were never on disk: the test proves nothing")
	}
	apply(t, s, vectorstore.Batch{After: 1, Cursor: 2, Upsert: []vectorstore.Point{point("changed", "something else")}})
	apply(t, s, vectorstore.Batch{After: 2, Cursor: 3, DeleteDocuments: []domain.DocumentID{"dgone"}})
	if n := count(t, file, markers); n != 0 {
		t.Errorf("deleted words still stand %d times in the files", n)
	}
	hits, err := s.Lexical(t.Context(), ws, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "keeper", Limit: 500})
	if err != nil || len(hits) != 400 {
		t.Errorf("%d points are left, want 400 (%v)", len(hits), err)
	}
}

// count is how many pairs of a file beside file and a marker in it there are.
func count(t *testing.T, file string, markers []string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Dir(file), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		for _, m := range markers {
			n += bytes.Count(bytes.ToLower(data), []byte(m))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
