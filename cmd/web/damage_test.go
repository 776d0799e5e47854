package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/testkit/long"
)

const pageBytes = 4096

// ruins are what may happen to a page of a file.
var ruins = []struct {
	how  string
	ruin func(r *rand.Rand, page, other []byte)
}{
	{"is zero", func(_ *rand.Rand, page, _ []byte) { clear(page) }},
	{"is noise", noise},
	{"is half noise", func(r *rand.Rand, page, other []byte) { noise(r, page[:len(page)/2], other) }},
	{"begins with noise", func(r *rand.Rand, page, other []byte) { noise(r, page[:12], other) }},
	{"lacks a sector", func(r *rand.Rand, page, _ []byte) { clear(page[512*r.IntN(8):][:512]) }},
	{"has other pointers", func(_ *rand.Rand, page, _ []byte) { copy(page[8:40], page[40:72]) }},
	{"is another", func(_ *rand.Rand, page, other []byte) { copy(page, other) }}, // in a projection it shows only in what a check compares
}

func noise(r *rand.Rand, page, _ []byte) {
	for i := range page {
		page[i] = byte(r.Uint32())
	}
}

// TestADamagedPageIsNeverSound damages a page of each database. The check has to end, and may call
// the library sound only if the database says what it said before. What is unsound is not backed up.
func TestADamagedPageIsNeverSound(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	sh.must(t, "fsck")
	for _, file := range []string{"clew.db", "graph.db", "vectors.db"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			before, found := dump(t, filepath.Join(sh.data, file)), 0
			r := rand.New(rand.NewPCG(4, 8))
			many, ruins := long.Or(21, 400), ruins
			if file != "clew.db" { // a check that finds a new one of these waits for it to be filled
				many, ruins = long.Or(6, 70), ruins[:len(ruins)-1]
			}
			for n := range many {
				d := damaged{shell: sh.copied(t), file: file, how: ruins[n%len(ruins)].how}
				d.page = damage(t, r, filepath.Join(d.data, file), ruins[n%len(ruins)].ruin)
				if d.check(t, before) {
					found++
				}
				noError(t, os.RemoveAll(d.data))
			}
			if found == 0 {
				t.Error("no damage was found: the test proves nothing")
			}
		})
	}
}

// damaged is a library with a damaged page.
type damaged struct {
	shell
	file, how string
	page      int
}

// check checks the library and reports whether damage was found.
func (d damaged) check(t *testing.T, before string) (found bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	what := fmt.Sprintf("page %d of %s %s", d.page, d.file, d.how)
	same := dump(t, filepath.Join(d.data, d.file)) == before
	said, err := d.runWith(ctx, "fsck")
	if ctx.Err() != nil {
		t.Errorf("%s: the check does not end", what)
	}
	if err == nil && !same {
		t.Errorf("%s: it is called sound: %s", what, said)
	}
	if err == nil || d.file != "clew.db" {
		return err != nil
	}
	if !strings.Contains(err.Error(), "clew restore --force FILE") { // the pages are sound, and an index is not of the backup
		return true
	}
	archive := filepath.Join(d.data, "archive")
	if _, err := d.runWith(ctx, "backup", archive); err == nil || ctx.Err() != nil {
		t.Errorf("%s: it is backed up", what)
	}
	if _, err := os.Stat(archive); err == nil {
		t.Errorf("%s: a backup is left", what)
	}
	return true
}

// damage ruins a random page of a file and returns its number.
func damage(t *testing.T, r *rand.Rand, path string, ruin func(r *rand.Rand, page, other []byte)) int {
	t.Helper()
	b, err := os.ReadFile(path)
	noError(t, err)
	pages := len(b) / pageBytes
	n, other := r.IntN(pages), r.IntN(pages)
	ruin(r, b[n*pageBytes:][:pageBytes], b[other*pageBytes:][:pageBytes])
	noError(t, os.WriteFile(path, b, 0o600))
	return n + 1
}

// copied returns a shell on a copy of the data folder.
func (sh shell) copied(t *testing.T) shell {
	t.Helper()
	from := sh.data
	sh.data = filepath.Join(t.TempDir(), "data")
	noError(t, os.CopyFS(sh.data, os.DirFS(from)))
	return sh
}

// runWith runs a command in a context.
func (sh shell) runWith(ctx context.Context, args ...string) (string, error) {
	s, out, _ := sh.env()
	root := program(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// dump returns all that the tables of a database hold, or that they can't be read.
func dump(t *testing.T, path string) string {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		return "can't be opened"
	}
	defer db.Reader.Close()
	defer db.Writer.Close()
	var b strings.Builder
	tables, err := sqlio.Collect(t.Context(), db.Reader, sqlio.Column[string], `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('moves', 'sqlite_sequence') ORDER BY name`) // those say only what was written last
	if err != nil {
		return "can't be read"
	}
	for _, table := range tables {
		rows, err := db.Reader.QueryContext(t.Context(), `SELECT * FROM "`+table+`" NOT INDEXED`) //nolint:rowserrcheck,sqlclosecheck // Drain checks and closes it
		if err != nil {
			return "can't be read"
		}
		columns, err := rows.Columns()
		noError(t, err)
		values, fields := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			fields[i] = &values[i]
		}
		err = sqlio.Drain(rows, func(*sql.Rows) error {
			err := rows.Scan(fields...)
			fmt.Fprintf(&b, "%s %v\n", table, values)
			return err
		})
		if err != nil {
			return "can't be read"
		}
	}
	return b.String()
}
