package migrations_test

import (
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/migrations"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The queries list what a database holds, a line each.
const (
	sqliteSchema   = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%' ORDER BY tbl_name, type DESC, name`
	postgresSchema = `SELECT line FROM (
		SELECT table_name || ' 1 ' || LPAD((ROW_NUMBER() OVER (PARTITION BY table_name ORDER BY ordinal_position))::TEXT, 2, '0') || ' ' || column_name || ' ' || data_type
			|| COALESCE(' COLLATE ' || collation_name, '') || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
			|| COALESCE(' DEFAULT ' || column_default, '') || CASE is_identity WHEN 'YES' THEN ' IDENTITY' ELSE '' END AS line
			FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT conrelid::regclass || ' 2 ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
		UNION ALL SELECT tablename || ' 3 ' || indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%pkey'
	) all_lines WHERE line NOT LIKE 'goose%' ORDER BY line COLLATE "C"`
)

// schemaOf returns the tables and indexes of a database as text.
func schemaOf(t *testing.T, db *sql.DB) string {
	t.Helper()
	query := sqliteSchema
	if sqlio.DialectOf(db).Postgres {
		query = postgresSchema
	}
	lines, err := sqlio.Collect(t.Context(), db, sqlio.Column[string], query)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestSchema compares the tables of a new database, and of one that was upgraded,
// with those that a person has read.
func TestSchema(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	up(t, db)
	golden(t, "schema.sqlite.sql", schemaOf(t, db))
	older := open(t, filepath.Join(t.TempDir(), "older.db"))
	earlier(t, older, "sqlite")
	golden(t, "schema.sqlite.sql", schemaOf(t, older))
}

func TestSchemaOnPostgres(t *testing.T) {
	t.Parallel()
	golden(t, "schema.postgres.txt", schemaOf(t, servers.Postgres(t).Reader))
	older := servers.OpenPostgres(t, servers.EmptyPostgresURL(t))
	earlier(t, older.Writer, "postgres")
	golden(t, "schema.postgres.txt", schemaOf(t, older.Reader))
}

// earlier makes a database of an earlier version, and migrates it.
func earlier(t *testing.T, db *sql.DB, dialect string) {
	t.Helper()
	for _, name := range []string{dialect, "rows"} {
		script, err := os.ReadFile(filepath.Join("..", "cmd", "web", "testdata", "upgrade", name+".sql"))
		if err != nil {
			t.Fatal(err)
		}
		if dialect == "postgres" {
			script = regexp.MustCompile(`\bX'([0-9a-f]*)'`).ReplaceAll(script, []byte(`'\x$1'`))
		}
		if _, err := db.ExecContext(t.Context(), string(script)); err != nil {
			t.Fatal(err)
		}
	}
	up(t, db)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the tables changed; go test ./migrations -update writes them to %s, to be read (-want +got):\n%s", path, diff)
	}
}

func TestUpOnPostgres(t *testing.T) {
	t.Parallel()
	address := servers.EmptyPostgresURL(t)
	failed := make(chan error)
	const together = 4
	for range together {
		db := servers.OpenPostgres(t, address)
		go func() { failed <- migrations.Up(t.Context(), db.Writer) }()
	}
	for range together {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	db := servers.OpenPostgres(t, address)
	if v, err := migrations.State(t.Context(), db.Writer); err != nil || v.Database != v.Program || v.Program < 7 {
		t.Errorf("stands at %+v, error %v", v, err)
	}
	if diff := cmp.Diff(schemaOf(t, servers.Postgres(t).Reader), schemaOf(t, db.Reader)); diff != "" {
		t.Errorf("-alone +together\n%s", diff)
	}
	newerIsLeftAlone(t, db.Writer)
}
