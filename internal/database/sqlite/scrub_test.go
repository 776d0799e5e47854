package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
)

// doomed stands in every row that a history deletes.
const doomed = "xanthippe"

// tables are trees of each kind.
const tables = `CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, gone INTEGER, words TEXT);
		CREATE TABLE IF NOT EXISTS keyed (words TEXT, gone INTEGER, PRIMARY KEY (words)) WITHOUT ROWID;
		CREATE INDEX IF NOT EXISTS by_words ON t (words, gone)`

// history writes and deletes rows of all sizes in trees of each kind, by seed, so that pages are
// split, merged and filled again. At its end no row has the doomed word.
func history(t *testing.T, db *sqlite.DB, seed uint64) {
	t.Helper()
	exec(t, db, tables)
	r := rand.New(rand.NewPCG(seed, 1))
	words := func(first string) string {
		n := r.IntN(12)
		if r.IntN(20) == 0 {
			n = 300 + r.IntN(900) // on pages of their own
		}
		return fmt.Sprintf("%x %s %s", r.Uint32(), first, strings.Repeat(first+" ", n))
	}
	for range 30 {
		err := sqlio.InTx(t.Context(), db.Writer, func(tx *sql.Tx) error {
			for range 60 {
				gone, first := r.IntN(2), "kept"
				if gone == 1 {
					first = doomed
				}
				for _, insert := range []string{`INSERT INTO t (gone, words) VALUES (?, ?)`, `INSERT INTO keyed (gone, words) VALUES (?, ?)`} {
					if _, err := tx.ExecContext(t.Context(), insert, gone, words(first)); err != nil {
						return err
					}
				}
			}
			remove := `DELETE FROM t WHERE gone = 1 AND id % 3 = ` + strconv.Itoa(r.IntN(3))
			_, err := tx.ExecContext(t.Context(), remove)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := sqlio.InTx(t.Context(), db.Writer, func(tx *sql.Tx) error {
		for _, table := range []string{"t", "keyed"} {
			if _, err := tx.ExecContext(t.Context(), `DELETE FROM `+table+` WHERE gone = 1`); err != nil {
				return err
			}
		}
		return sqlite.NoteDeletion(t.Context(), tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// left reports whether a database's file or its log holds the doomed word.
func left(t *testing.T, path string) bool {
	t.Helper()
	return holds(t, path, doomed) || holds(t, path+"-wal", doomed)
}

func scrub(t *testing.T, db *sqlite.DB) {
	t.Helper()
	for range 1000 {
		more, err := db.Scrub(t.Context(), 1)
		if err != nil && domain.KindOf(err) != domain.Unavailable { // another process may move the log meanwhile
			t.Fatal(err)
		}
		if err == nil && more == 0 {
			return
		}
	}
	t.Fatal("it does not end")
}

func sound(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if got := pragma(t, db.Writer, "integrity_check"); got != "ok" {
		t.Errorf("the file is damaged: %s", got)
	}
}

// TestScrubRemovesDeletedWords scrubs after random histories, some of them in a file that was
// filled without care for deleted words.
func TestScrubRemovesDeletedWords(t *testing.T) {
	t.Parallel()
	before := 0
	for seed := range uint64(6) {
		path := filepath.Join(t.TempDir(), "clew.db")
		if seed%3 == 2 {
			careless(t, path)
		}
		db := open(t, path, sqlite.Options{})
		history(t, db, seed)
		if err := db.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left(t, path) {
			before++
		}
		kept := count(t, db)
		scrub(t, db)
		sound(t, db)
		if left(t, path) {
			t.Errorf("history %d: a deleted word is left", seed)
		}
		if got := count(t, db); got != kept {
			t.Errorf("history %d: %d rows are left of %d", seed, got, kept)
		}
		if got := pragma(t, db.Reader, "application_id"); got != "0" {
			t.Errorf("history %d: scrubbed, it is at page %s", seed, got)
		}
	}
	if before == 0 {
		t.Error("no history left a word before: the test proves nothing")
	}
}

// careless fills a file without overwriting what its pages held before rows moved.
func careless(t *testing.T, path string) {
	t.Helper()
	db := open(t, path, sqlite.Options{})
	exec(t, db, `PRAGMA secure_delete = 0`)
	exec(t, db, tables)
	r := rand.New(rand.NewPCG(9, 9))
	for range 3000 {
		gone, first := r.IntN(2), "kept"
		if gone == 1 {
			first = doomed
		}
		exec(t, db, `INSERT INTO t (gone, words) VALUES (?, ?)`, gone, fmt.Sprintf("%x %s", r.Uint32(), strings.Repeat(first+" ", r.IntN(40))))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestScrubGoesOnAfterARestart scrubs a file part by part, opened again in between, while words
// are deleted.
func TestScrubGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	db := open(t, path, sqlite.Options{})
	for seed := range uint64(4) {
		history(t, db, seed)
	}
	first, err := db.Scrub(t.Context(), 1)
	if err != nil || first == 0 {
		t.Fatalf("%d pages are left, %v: the file is too small", first, err)
	}
	if err := errors.Join(db.Reader.Close(), db.Writer.Close()); err != nil { // as when a process is killed
		t.Fatal(err)
	}
	db = open(t, path, sqlite.Options{})
	second, err := db.Scrub(t.Context(), 1)
	if err != nil || second >= first {
		t.Errorf("opened again, %d of %d pages are left, %v", second, first, err)
	}
	history(t, db, 5)
	if third, err := db.Scrub(t.Context(), 1); err != nil || third <= second {
		t.Errorf("after another deletion %d pages are left, %d before, %v: the first ones have to be looked at again", third, second, err)
	}
	scrub(t, db)
	if left(t, path) {
		t.Error("a deleted word is left")
	}
	sound(t, db)
}

// TestScrubBesideOthers scrubs while another process writes and reads.
func TestScrubBesideOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	db := open(t, path, sqlite.Options{})
	other := open(t, path, sqlite.Options{})
	history(t, db, 1)
	kept := count(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	written := 0
	var writing sync.WaitGroup
	writing.Go(func() {
		for ctx.Err() == nil {
			if _, err := other.Writer.ExecContext(t.Context(), `INSERT INTO t (gone, words) VALUES (0, ?)`, strings.Repeat("kept ", written%700)); err != nil {
				t.Error(err)
				return
			}
			written++
			count(t, other)
		}
	})
	for seed := range uint64(5) {
		scrub(t, db)
		history(t, db, seed+2)
		kept = count(t, db)
	}
	cancel()
	writing.Wait()
	scrub(t, db)
	sound(t, db)
	sound(t, other)
	if got := count(t, other); got < kept || got == 0 {
		t.Errorf("%d rows are left, at least %d were written", got, kept)
	}
	if left(t, path) {
		t.Error("a deleted word is left")
	}
}
