package migrations_test

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/migrations"
)

func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Writer
}

func up(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := migrations.Up(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}

// schema is every statement that made db's tables and indexes.
func schema(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT name, COALESCE(sql, '') FROM sqlite_schema`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			t.Fatal(err)
		}
		all[name] = statement
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	db := open(t, path)
	up(t, db)
	first := schema(t, db)
	if _, ok := first["documents"]; !ok {
		t.Errorf("there is no table of documents in %v", first)
	}
	v, err := migrations.State(t.Context(), db)
	if err != nil || v.Database != v.Program || v.Program < 8 {
		t.Errorf("stands at %+v, error %v", v, err)
	}
	up(t, db) // once more changes nothing
	up(t, open(t, path))
	if diff := cmp.Diff(first, schema(t, db)); diff != "" {
		t.Errorf("-first +again\n%s", diff)
	}
}

// TestALowerNumberThatCameLater migrates a database of a program that had a
// migration, but not yet one with a lower number.
func TestALowerNumberThatCameLater(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	up(t, db)
	want := schema(t, db)
	if _, err := db.ExecContext(t.Context(), `DELETE FROM goose_db_version WHERE version_id = 39;
		DROP INDEX model_usage_by_role; DROP INDEX model_usage_by_document`); err != nil {
		t.Fatal(err)
	}
	up(t, db)
	if diff := cmp.Diff(want, schema(t, db)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEveryTableHasAWorkspace names the tables that are meant to be without.
func TestEveryTableHasAWorkspace(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	up(t, db)
	rows, err := db.QueryContext(t.Context(), `SELECT s.name FROM sqlite_schema s WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%'
		AND NOT EXISTS (SELECT 1 FROM pragma_table_info(s.name) c WHERE c.name = 'workspace_id') ORDER BY s.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var without []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		without = append(without, name)
	}
	want := []string{"account_groups", "audit", "audit_ends", "checkpoints", "connections", "embedding_models", "embeddings", "finished_sign_ons", "goose_db_version", "identities", "passes", "second_steps", "sessions", "threads", "workers", "workspaces"}
	if diff := cmp.Diff(want, without); diff != "" || rows.Err() != nil {
		t.Errorf("error %v; -want +got\n%s", rows.Err(), diff)
	}
}

// TestSeveralProcesses migrates one empty file from several handles at once.
func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	var wg sync.WaitGroup
	for range 4 {
		db := open(t, path)
		wg.Go(func() {
			if err := migrations.Up(t.Context(), db); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	fresh := open(t, filepath.Join(t.TempDir(), "fresh.db"))
	up(t, fresh)
	if diff := cmp.Diff(schema(t, fresh), schema(t, open(t, path))); diff != "" {
		t.Errorf("-alone +together\n%s", diff)
	}
}

func TestNewerDatabase(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	up(t, db)
	newerIsLeftAlone(t, db)
}

func newerIsLeftAlone(t *testing.T, db *sql.DB) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, '1')`); err != nil {
		t.Fatal(err)
	}
	err := migrations.Up(t.Context(), db)
	if message, ok := domain.MessageOf(err); domain.KindOf(err) != domain.Conflict || !ok {
		t.Errorf("got error %v (%q), want kind Conflict with a sentence", err, message)
	}
}
