package embedded_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
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

// TestTwoProcesses opens the file twice, like two processes: the vectors that
// one keeps in memory must follow the other's writes.
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
	if err := two.Reset(t.Context(), ws, 0); err != nil {
		t.Fatal(err)
	}
	apply(t, two, vectorstore.Batch{Cursor: 2, Upsert: []vectorstore.Point{point("c", "x", 1, 0)}})
	check("c")
}

// TestNewDimensionAfterEverythingIsDeleted needs no rebuild: no vector is left
// to compare with.
func TestNewDimensionAfterEverythingIsDeleted(t *testing.T) {
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
		t.Errorf("after reopening (-want +got):\n%s", diff)
	}
}

// TestFileWithEntitiesIsRefilled opens a file of layout 3, which had points of
// entities and relations too: it must be empty, so that the projector refills
// it.
func TestFileWithEntitiesIsRefilled(t *testing.T) {
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
		t.Errorf("got cursor %d (%v), want 0", cursor, err)
	}
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point("a", "granite", 1, 0)}})
	if diff := cmp.Diff([]string{"a"}, nearest(t, s, 1, 0)); diff != "" {
		t.Errorf("after refilling (-want +got):\n%s", diff)
	}
}

// TestDeletedWordsAreErasedFromTheFile searches the bytes on disk for deleted
// and replaced words: in the rows, the full-text index and the log.
func TestDeletedWordsAreErasedFromTheFile(t *testing.T) {
	t.Parallel()
	file := path(t)
	s := open(t, file, "")
	var points []vectorstore.Point
	for i := range 400 {
		points = append(points, point(fmt.Sprint("k", i), fmt.Sprintf("keeper number %d of the xylem", i)))
	}
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: append(points, point("gone", "the xylophantine marker"), point("changed", "a quadrillobe stands here"))})
	// The index stores a word without the prefix that it shares with the word
	// before.
	markers := []string{"xylophantin", "ophantin", "quadrillob", "uadrillob"}
	if n := count(t, file, markers); n == 0 {
		t.Fatal("the markers were never on disk: the test proves nothing")
	}
	apply(t, s, vectorstore.Batch{After: 1, Cursor: 2, Upsert: []vectorstore.Point{point("changed", "something else")}})
	apply(t, s, vectorstore.Batch{After: 2, Cursor: 3, DeleteDocuments: []domain.DocumentID{"dgone"}})
	if n := count(t, file, markers); n != 0 {
		t.Errorf("got %d deleted words in the files, want none", n)
	}
	hits, err := s.Lexical(t.Context(), ws, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "keeper", Limit: 500})
	if err != nil || len(hits) != 400 {
		t.Errorf("got %d points, want 400 (%v)", len(hits), err)
	}
}

// count returns the number of pairs of a marker and a file of the index that
// contains it.
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
