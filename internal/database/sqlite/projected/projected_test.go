package projected_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
)

const ws domain.WorkspaceID = "main"

var words = projected.Layout{Name: "list of words", Version: 1, Schema: `
	CREATE TABLE words (workspace INTEGER NOT NULL, word TEXT NOT NULL);
	CREATE VIRTUAL TABLE searched USING fts5(word);
	INSERT INTO searched (searched, rank) VALUES ('secure-delete', 1);`}

func path(t *testing.T) string { return filepath.Join(t.TempDir(), "words.db") }

func open(t *testing.T, path string, l projected.Layout) *projected.File {
	t.Helper()
	f, err := projected.Open(t.Context(), path, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// add is a batch that writes one word.
func add(word string) func(*projected.Batch) {
	return func(b *projected.Batch) { b.Exec(`INSERT INTO words VALUES (?, ?)`, b.Num, word) }
}

func apply(t *testing.T, f *projected.File, w domain.WorkspaceID, after, cursor int64, write func(*projected.Batch)) {
	t.Helper()
	if err := f.Apply(t.Context(), w, projected.Move{After: after, Cursor: cursor}, write); err != nil {
		t.Fatal(err)
	}
}

// state is what a workspace holds.
type state struct {
	Cursor int64
	Words  []string
}

func want(t *testing.T, f *projected.File, w domain.WorkspaceID, want state) {
	t.Helper()
	var got state
	err := f.Read(t.Context(), w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		got.Cursor = r.Cursor
		got.Words, err = sqlio.Collect(t.Context(), tx, sqlio.Column[string], `SELECT word FROM words WHERE workspace = ? ORDER BY word`, r.Num)
		return err
	})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s holds (-want +got), %v:\n%s", w, err, diff)
	}
	if cursor, err := f.Cursor(t.Context(), w); cursor != want.Cursor || err != nil {
		t.Errorf("%s is at %d (%v), want %d", w, cursor, err, want.Cursor)
	}
}

func TestWorkspacesKeepApart(t *testing.T) {
	t.Parallel()
	f := open(t, path(t), words)
	want(t, f, ws, state{})
	apply(t, f, ws, 0, 3, add("ash"))
	apply(t, f, "other", 0, 7, add("birch"))
	apply(t, f, ws, 3, 4, add("cedar"))
	want(t, f, ws, state{4, []string{"ash", "cedar"}})
	want(t, f, "other", state{7, []string{"birch"}})
}

func TestBatchKnowsItsWorkspace(t *testing.T) {
	t.Parallel()
	f := open(t, path(t), words)
	for i, after := range []int64{0, 5} {
		apply(t, f, ws, after, after+5, func(b *projected.Batch) {
			if b.New != (i == 0) || b.Num == 0 || b.Cursor != after+5 {
				t.Errorf("batch %d: new %t, number %d, cursor %d", i, b.New, b.Num, b.Cursor)
			}
		})
	}
}

// TestRowsWriteEachRowOnce writes as many rows as fill statements, one less and one more.
func TestRowsWriteEachRowOnce(t *testing.T) {
	t.Parallel()
	f := open(t, path(t), words)
	for at, n := range []int{0, 1, 31, 32, 33, 100} {
		var all []string
		apply(t, f, ws, int64(at), int64(at+1), func(b *projected.Batch) {
			b.Exec(`DELETE FROM words`)
			rows := b.Rows(`INSERT INTO words (workspace, word)`, 2)
			for i := range n {
				all = append(all, fmt.Sprintf("%03d", i))
				rows.Add(b.Num, all[i])
			}
			rows.Flush()
			rows.Flush() // finds nothing left
		})
		want(t, f, ws, state{int64(at + 1), all})
	}
}

func TestApplyOnlyFollowsOn(t *testing.T) {
	t.Parallel()
	f := open(t, path(t), words)
	never := func(*projected.Batch) { t.Error("a batch was written that does not follow on") }
	conflict := func(what string, err error) {
		t.Helper()
		if domain.KindOf(err) != domain.Conflict {
			t.Errorf("%s: %v, want a conflict", what, err)
		}
	}
	first := projected.Move{Token: 2, After: 0, Cursor: 5}
	for _, write := range []func(*projected.Batch){add("ash"), never} { // its acknowledgement may have been lost
		if err := f.Apply(t.Context(), ws, first, write); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []projected.Move{{2, 0, 4}, {2, 0, 6}, {3, 0, 5}, {2, 4, 5}, {2, 4, 6}, {1, 5, 6}} {
		conflict(fmt.Sprintf("%+v on %+v", m, first), f.Apply(t.Context(), ws, m, never))
	}
	want(t, f, ws, state{5, []string{"ash"}})
	empty := func(b *projected.Batch) { b.Exec(`DELETE FROM words WHERE workspace = ?`, b.Num) }
	conflict("a late reset", f.Reset(t.Context(), ws, 1, never))
	if err := f.Reset(t.Context(), ws, 3, empty); err != nil {
		t.Fatal(err)
	}
	conflict("a batch from before the reset", f.Apply(t.Context(), ws, first, never))
	want(t, f, ws, state{})
}

func TestFirstErrorSticksAndUndoesTheBatch(t *testing.T) {
	t.Parallel()
	f := open(t, path(t), words)
	apply(t, f, ws, 0, 1, add("ash"))
	broken, later := errors.New("broken"), errors.New("later")
	for name, fail := range map[string]func(*projected.Batch){
		"said":      func(b *projected.Batch) { b.Fail(nil); b.Fail(broken) },
		"from rows": func(b *projected.Batch) { b.Each(func(*sql.Rows) error { return broken }, `SELECT 1`) },
	} {
		err := f.Apply(t.Context(), ws, projected.Move{After: 1, Cursor: 2}, func(b *projected.Batch) {
			add("birch")(b)
			fail(b)
			b.Fail(later)
			b.Each(func(*sql.Rows) error { t.Error("read after an error"); return nil }, `SELECT 1`)
		})
		if !errors.Is(err, broken) || errors.Is(err, later) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, query := range []string{`no SQL`, `INSERT INTO nowhere VALUES (1)`, `INSERT INTO words VALUES (NULL, NULL)`} {
		if err := f.Apply(t.Context(), ws, projected.Move{After: 1, Cursor: 2}, func(b *projected.Batch) { b.Exec(query) }); err == nil {
			t.Errorf("%s was executed", query)
		}
	}
	want(t, f, ws, state{1, []string{"ash"}})
}

func TestResetGivesANewNumber(t *testing.T) {
	t.Parallel()
	f := open(t, path(t), words)
	empty := func(b *projected.Batch) { b.Exec(`DELETE FROM words WHERE workspace = ?`, b.Num) }
	if err := f.Reset(t.Context(), ws, 0, func(*projected.Batch) { t.Error("emptied what was never there") }); err != nil {
		t.Fatal(err)
	}
	var nums []int64
	note := func(b *projected.Batch) { nums = append(nums, b.Num) }
	apply(t, f, ws, 0, 1, note)
	apply(t, f, ws, 1, 2, add("ash"))
	if err := f.Reset(t.Context(), ws, 0, empty); err != nil {
		t.Fatal(err)
	}
	want(t, f, ws, state{})
	apply(t, f, ws, 0, 1, note)
	if nums[0] == nums[1] {
		t.Errorf("the number %d was given twice", nums[0])
	}
}

func TestForgetEmptiesTheLog(t *testing.T) {
	t.Parallel()
	file := path(t)
	f := open(t, file, words)
	apply(t, f, ws, 0, 1, add("xylophantine"))
	held := func() bool {
		var all []byte
		for _, name := range []string{file, file + "-wal"} {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return bytes.Contains(all, []byte("xylophantine"))
	}
	if !held() {
		t.Fatal("the word was never on disk: the test proves nothing")
	}
	apply(t, f, ws, 1, 2, func(b *projected.Batch) {
		b.Exec(`DELETE FROM words`)
		b.Forget()
	})
	if held() {
		t.Error("the deleted word is still on disk")
	}
}

func TestOtherLayoutEmptiesTheFile(t *testing.T) {
	t.Parallel()
	file := path(t)
	for _, tt := range []struct {
		layout projected.Layout
		found  state
	}{
		{words, state{}},
		{words, state{1, []string{"ash"}}},
		{projected.Layout{Name: "words", Version: 2, Schema: `CREATE TABLE words (workspace, word); CREATE TABLE more (x)`}, state{}},
		{words, state{}}, // an older program again
	} {
		f, err := projected.Open(t.Context(), file, tt.layout)
		if err != nil {
			t.Fatal(err)
		}
		want(t, f, ws, tt.found)
		if tt.found.Cursor == 0 {
			apply(t, f, ws, 0, 1, add("ash"))
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenNamesWhatItCannotOpen(t *testing.T) {
	t.Parallel()
	l := words
	l.Schema = `CREATE NONSENSE`
	if f, err := projected.Open(t.Context(), path(t), l); err == nil {
		t.Error("opened a file with a layout that is no SQL", f.Close())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := projected.Open(ended, path(t), words); !errors.Is(err, context.Canceled) {
		t.Error("opened though the context had ended", f, err)
	}
}

func TestADamagedFileIsBegunAnew(t *testing.T) {
	t.Parallel()
	search := func(word string) func(*projected.Batch) {
		return func(b *projected.Batch) { b.Exec(`INSERT INTO searched VALUES (?)`, word) }
	}
	middle := func(b []byte) { copy(b[len(b)/2:], bytes.Repeat([]byte{0xff}, len(b)/3)) }
	for name, tt := range map[string]struct {
		add    func(word string) func(*projected.Batch)
		damage func([]byte)
	}{
		"its head":             {add, func(b []byte) { copy(b, bytes.Repeat([]byte("rubbish "), 64)) }},
		"its middle":           {add, middle},
		"of a full-text table": {search, middle},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := path(t)
			f, err := projected.Open(t.Context(), at, words)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 400 {
				apply(t, f, ws, int64(i), int64(i+1), tt.add(fmt.Sprintf("word number %d, long enough to fill pages", i)))
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			tt.damage(b)
			if err := os.WriteFile(at, b, 0o600); err != nil {
				t.Fatal(err)
			}
			want(t, open(t, at, words), ws, state{})
			if left, err := filepath.Glob(at + "?*"); err != nil || slices.ContainsFunc(left, func(name string) bool { return name != at+"-wal" && name != at+"-shm" }) {
				t.Errorf("beside the new file are %v, %v: words deleted later would stay there", left, err)
			}
		})
	}
}
