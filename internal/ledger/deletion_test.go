package ledger_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/testkit/database"
)

// TestDeletedWordsAreGone looks for a word of a deleted document in every
// column of every table, and in the bytes of the database's files.
func TestDeletedWordsAreGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := database.Open(t, filepath.Join(dir, "clew.db"))
	b := bench(t, db)
	doomed := Doom(t, b)
	before := holding(t, db.Reader)
	for _, table := range []string{"documents", "texts", "chunks", "contributions", "dropped", "mentions", "statements", "model_calls", "events", "citations", "answers", "curated_entities", "schemas", "runs"} {
		if !slices.Contains(before, table) {
			t.Errorf("before the deletion: table %s does not hold the marker: the test proves nothing", table)
		}
	}
	if len(files(t, dir)) == 0 {
		t.Error("before the deletion: no file holds the marker: the test proves nothing")
	}

	if _, err := b.Ledger.DeleteDocument(t.Context(), doomed.Document.Workspace, doomed.Document.ID); err != nil {
		t.Fatal(err)
	}
	if left := holding(t, db.Reader); len(left) > 0 {
		t.Errorf("the marker is left in tables %v", left)
	}
	if err := db.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("the marker is left in files %v", left)
	}
}

// holding lists the tables that hold the marker, in any column and any case.
func holding(t *testing.T, db *sql.DB) []string {
	t.Helper()
	var found []string
	for _, table := range texts(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`) {
		for _, column := range texts(t, db, `SELECT name FROM pragma_table_info('`+table+`')`) {
			var n int
			query := fmt.Sprintf(`SELECT COUNT(*) FROM %q WHERE INSTR(LOWER(CAST(%q AS TEXT)), LOWER(?)) > 0`, table, column)
			if err := db.QueryRowContext(t.Context(), query, Marker).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 && !slices.Contains(found, table) {
				found = append(found, table)
			}
		}
	}
	return found
}

func texts(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// files lists the files of dir whose bytes hold the marker, in any case.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(b), bytes.ToLower([]byte(Marker))) {
			found = append(found, e.Name())
		}
	}
	return found
}
