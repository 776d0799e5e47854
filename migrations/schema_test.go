package migrations_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/migrations"
)

// schemaParts describe what a database holds, one row each, in the same words
// whatever the dialect: the table, then the part.
var sqliteParts = map[string]string{
	"columns": `SELECT t.name, c.name || ' ' ||
			CASE c.type WHEN 'TEXT' THEN 'text' WHEN 'BLOB' THEN 'bytes' WHEN 'INTEGER' THEN 'integer' WHEN 'BIGINT' THEN 'integer' ELSE c.type END
			|| CASE WHEN c."notnull" = 1 OR c.pk > 0 THEN '' ELSE ' null' END
			|| CASE WHEN c.pk > 0 THEN ' key ' || c.pk ELSE '' END
		FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'`,
	"indexes": `SELECT t.name, i.name || CASE WHEN i."unique" = 1 THEN ' unique' ELSE '' END || CASE WHEN i.partial = 1 THEN ' partial' ELSE '' END
			|| ' (' || (SELECT GROUP_CONCAT(COALESCE(name, 'substr'), ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) || ')'
		FROM sqlite_schema t JOIN pragma_index_list(t.name) i WHERE t.type = 'table' AND i.origin = 'c'`,
	"references": `SELECT t.name, f."from" || ' ' || f."table" || '.' || f."to" || ' ' || f.on_delete
		FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`,
}

var postgresParts = map[string]string{
	"columns": `SELECT c.table_name, c.column_name || ' ' ||
			CASE c.data_type WHEN 'text' THEN CASE c.collation_name WHEN 'C' THEN 'text' ELSE 'text without COLLATE "C"' END
				WHEN 'bytea' THEN 'bytes' WHEN 'bigint' THEN 'integer' ELSE c.data_type END
			|| CASE c.is_nullable WHEN 'NO' THEN '' ELSE ' null' END
			|| COALESCE(' key ' || k.ordinal_position, '')
		FROM information_schema.columns c
		LEFT JOIN (information_schema.key_column_usage k JOIN information_schema.table_constraints p
			ON p.constraint_name = k.constraint_name AND p.table_name = k.table_name AND p.constraint_type = 'PRIMARY KEY')
			ON k.table_name = c.table_name AND k.column_name = c.column_name
		WHERE c.table_schema = 'public'`,
	"indexes": `SELECT t.relname, i.relname || CASE WHEN x.indisunique THEN ' unique' ELSE '' END || CASE WHEN x.indpred IS NULL THEN '' ELSE ' partial' END
			|| ' (' || (SELECT STRING_AGG(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = i.oid) || ')'
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
		WHERE t.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.oid AND c.contype IN ('p', 'u'))`,
	"references": `SELECT t.relname, a.attname || ' ' || r.relname || '.' || b.attname || ' ' || CASE c.confdeltype WHEN 'c' THEN 'CASCADE' ELSE 'NO ACTION' END
		FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class r ON r.oid = c.confrelid,
			LATERAL UNNEST(c.conkey, c.confkey) AS u (mine, theirs), pg_attribute a, pg_attribute b
		WHERE c.contype = 'f' AND a.attrelid = c.conrelid AND a.attnum = u.mine AND b.attrelid = c.confrelid AND b.attnum = u.theirs`,
}

// parts runs queries for the parts of a schema: by kind and table, each row
// once, those of the migrations' own table left out.
func parts(t *testing.T, db *sql.DB, queries map[string]string) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for kind, query := range queries {
		err := sqlio.Each(t.Context(), db, func(rows *sql.Rows) error {
			var table, part string
			if err := rows.Scan(&table, &part); err != nil || strings.HasPrefix(table, "goose_") {
				return err
			}
			of := kind + " of " + table
			if all[of] == nil {
				all[of] = map[string]bool{}
			}
			all[of][part] = true
			return nil
		}, query)
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestDialectsAreEqual keeps the tables that both dialects' files make equal,
// and the files' names.
func TestDialectsAreEqual(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "clew.db"))
	up(t, db)
	onSQLite := parts(t, db, sqliteParts)
	onPostgres := parts(t, servers.Postgres(t).Reader, postgresParts)
	if len(onSQLite["columns of documents"]) < 20 || len(onSQLite["references of texts"]) != 2 || len(onSQLite["indexes of checkpoints"]) < 3 {
		t.Fatalf("the test does not see what there is: %v", onSQLite)
	}
	if diff := cmp.Diff(onSQLite, onPostgres); diff != "" {
		t.Errorf("-SQLite +Postgres\n%s", diff)
	}
	names := map[string][]string{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		paths, err := filepath.Glob(filepath.Join(dialect, "*.sql"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			names[dialect] = append(names[dialect], filepath.Base(path))
		}
	}
	if diff := cmp.Diff(names["sqlite"], names["postgres"]); diff != "" {
		t.Errorf("names of files: -SQLite +Postgres\n%s", diff)
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
	if diff := cmp.Diff(parts(t, servers.Postgres(t).Reader, postgresParts), parts(t, db.Reader, postgresParts)); diff != "" {
		t.Errorf("-alone +together\n%s", diff)
	}
	newerIsLeftAlone(t, db.Writer)
}
