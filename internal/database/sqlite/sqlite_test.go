package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
)

func open(t *testing.T, path string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sqlite.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Writer.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func inTx(ctx context.Context, db *sqlite.DB, f func(*sql.Tx) error) error {
	return sqlite.Explain(sqlio.InTx(ctx, db.Writer, f))
}

func count(t *testing.T, db *sqlite.DB) (n int) {
	t.Helper()
	if err := db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func pragma(t *testing.T, db *sql.DB, name string) (value string) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `PRAGMA `+name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ünï %41?#&", "data", "clew.db")
	db := open(t, path, sqlite.Options{})
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "1", "foreign_keys": "1", "secure_delete": "1", "busy_timeout": "10000", "temp_store": "2",
	} {
		for what, pool := range map[string]*sql.DB{"writer": db.Writer, "reader": db.Reader} {
			if got := pragma(t, pool, name); got != want {
				t.Errorf("%s of the %s is %s, want %s", name, what, got, want)
			}
		}
	}
	if _, err := db.Reader.ExecContext(t.Context(), `CREATE TABLE t (x)`); err == nil {
		t.Error("the reader wrote")
	}
	exec(t, db, `CREATE TABLE t (x)`)
	if got := count(t, db); got != 0 {
		t.Errorf("the reader counts %d", got)
	}
	for _, p := range []string{path, path + "-wal", filepath.Dir(path)} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & 0o077; got != 0 {
			t.Errorf("%s gives others the rights %o", filepath.Base(p), got)
		}
	}
}

func TestTx(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"), sqlite.Options{})
	exec(t, db, `CREATE TABLE t (x)`)
	insert := func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO t VALUES (1)`)
		return err
	}
	if err := inTx(t.Context(), db, insert); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	err := inTx(t.Context(), db, func(tx *sql.Tx) error { return errors.Join(insert(tx), stop) })
	if !errors.Is(err, stop) {
		t.Errorf("got error %v, want the function's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = inTx(ctx, db, func(tx *sql.Tx) error { cancel(); return insert(tx) })
	if err == nil {
		t.Error("a cancelled transaction was committed")
	}
	if got := count(t, db); got != 1 {
		t.Errorf("%d rows, want the one that was committed", got)
	}
}

// TestTwoProcesses writes through two handles on one file, which is what two
// processes do.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	one, two := open(t, path, sqlite.Options{}), open(t, path, sqlite.Options{})
	exec(t, one, `CREATE TABLE t (x)`)
	const each = 50
	var wg sync.WaitGroup
	for _, db := range []*sqlite.DB{one, one, two, two} {
		wg.Go(func() {
			for range each {
				err := inTx(t.Context(), db, func(tx *sql.Tx) error {
					_, err := tx.ExecContext(t.Context(), `INSERT INTO t SELECT COUNT(*) FROM t`)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var distinct int
	if err := two.Reader.QueryRowContext(t.Context(), `SELECT COUNT(DISTINCT x) FROM t`).Scan(&distinct); err != nil {
		t.Fatal(err)
	}
	if distinct != 4*each { // each saw what all before it had written
		t.Errorf("%d distinct counts, want %d", distinct, 4*each)
	}
}

func TestBusyDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	one, two := open(t, path, sqlite.Options{}), open(t, path, sqlite.Options{BusyTimeout: time.Millisecond})
	err := inTx(t.Context(), one, func(*sql.Tx) error {
		return inTx(t.Context(), two, func(*sql.Tx) error { t.Error("two transactions at once"); return nil })
	})
	if domain.KindOf(err) != domain.Unavailable {
		t.Errorf("got error %v, want kind Unavailable", err)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"), sqlite.Options{})
	exec(t, db, `CREATE TABLE t (x)`)
	exec(t, db, `PRAGMA max_page_count = 10`) // what SQLite answers as on a full disk
	err := inTx(t.Context(), db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO t VALUES (ZEROBLOB(1000000))`)
		return err
	})
	if domain.KindOf(err) != domain.Exhausted {
		t.Errorf("got error %v, want kind Exhausted", err)
	}
	exec(t, db, `INSERT INTO t VALUES (1)`)
	if got := count(t, db); got != 1 {
		t.Errorf("%d rows, want that of the write that fitted", got)
	}
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"the folder is a file": filepath.Join(file, "clew.db"),
		"the file is a folder": dir,
		"not writable":         filepath.Join(locked, "clew.db"),
	} {
		if name == "not writable" && os.Geteuid() == 0 {
			continue // root may write everywhere
		}
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err == nil {
			t.Errorf("%s: opened", name)
			db.Close()
		}
		if message, ok := domain.MessageOf(err); domain.KindOf(err) != domain.Invalid || !ok {
			t.Errorf("%s: got error %v (%q), want kind Invalid with a sentence", name, err, message)
		}
	}
}

func TestNotADatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("This is not a database. "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if message, ok := domain.MessageOf(err); !ok {
		t.Errorf("got error %v (%q), want a sentence", err, message)
	}
}

func TestExplainLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	own := domain.Errorf(domain.NotFound, "It is not there.")
	for _, err := range []error{nil, errors.New("other"), own} {
		if got := sqlite.Explain(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestCheckpoint(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	db := open(t, path, sqlite.Options{BusyTimeout: time.Millisecond})
	exec(t, db, `CREATE TABLE t (x)`)
	exec(t, db, `INSERT INTO t VALUES (?)`, bytes.Repeat([]byte("Zyzzogeton "), 10_000)) // on separate pages
	exec(t, db, `INSERT INTO t VALUES ('small Zyzzogeton')`)
	exec(t, db, `DELETE FROM t`)
	if !holds(t, path+"-wal", "Zyzzogeton") {
		t.Fatal("the log does not hold the word: the test would see nothing")
	}
	if err := db.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal"} {
		if holds(t, name, "Zyzzogeton") {
			t.Errorf("%s still holds the deleted word", filepath.Base(name))
		}
	}

	// A reader of an older state keeps the log from being emptied.
	exec(t, db, `INSERT INTO t VALUES (1)`)
	reader, err := db.Reader.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var x int
	if err := reader.QueryRowContext(t.Context(), `SELECT x FROM t`).Scan(&x); err != nil {
		t.Fatal(err)
	}
	exec(t, db, `DELETE FROM t`)
	if err := db.Checkpoint(t.Context()); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("under a reader: got error %v, want kind Unavailable", err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := db.Checkpoint(t.Context()); err != nil {
		t.Errorf("after the reader: %v", err)
	}
}

func holds(t *testing.T, path, word string) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(b, []byte(word))
}

func TestCloseEmptiesTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	db := open(t, path, sqlite.Options{})
	exec(t, db, `CREATE TABLE t (x)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("the log has %d bytes", info.Size())
	}
	if again := open(t, path, sqlite.Options{}); count(t, again) != 0 {
		t.Error("the table is not empty")
	}
}

// TestAFreshFile fills a file with rows in any order, and opens it as others do.
func TestAFreshFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	db := open(t, path, sqlite.Options{Fresh: true})
	dangling := func(want string) {
		t.Helper()
		if table, err := db.Dangling(t.Context()); table != want || err != nil {
			t.Errorf("rows of %q refer to none, %v; want %q", table, err, want)
		}
	}
	exec(t, db, `CREATE TABLE parents (id INTEGER PRIMARY KEY); CREATE TABLE t (x INTEGER REFERENCES parents (id))`)
	exec(t, db, `INSERT INTO t VALUES (1)`)
	dangling("t")
	exec(t, db, `INSERT INTO parents VALUES (1)`)
	dangling("")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, sqlite.Options{})
	if got := pragma(t, again.Writer, "journal_mode") + pragma(t, again.Writer, "secure_delete"); got != "wal1" {
		t.Errorf("opened again as %s", got)
	}
	if _, err := again.Writer.ExecContext(t.Context(), `INSERT INTO t VALUES (2)`); err == nil || count(t, again) != 1 {
		t.Errorf("a row without its parent: %v", err)
	}
}
