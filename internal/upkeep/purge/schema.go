package purge

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// A Table is a table with rows of workspaces.
type Table struct {
	Name   string
	key    []string // columns of its primary key
	atOnce int      // rows deleted per transaction
}

// withParent are the tables whose rows are deleted with those that they belong to: they can't be found by their workspace.
var withParent = map[string]string{"events": "runs", "upload_parts": "uploads"}

// last are the tables that hold the lease of a workspace, and the workspace, while the others are emptied.
var last = []string{"store_leases"}

// Tables lists the tables of a database that have a column workspace_id, those that refer to others first.
func Tables(ctx context.Context, db *sql.DB) ([]Table, error) {
	keys, references := sqliteKeys, sqliteReferences
	if sqlio.DialectOf(db).Postgres {
		keys, references = postgresKeys, postgresReferences
	}
	tables := map[string]*Table{}
	err := sqlio.Each(ctx, db, func(rows *sql.Rows) error {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil || slices.Contains(last, table) || withParent[table] != "" {
			return err
		}
		if tables[table] == nil {
			tables[table] = &Table{Name: table, atOnce: few}
		}
		tables[table].key = append(tables[table].key, column)
		return nil
	}, keys)
	if err != nil {
		return nil, err
	}
	for _, parent := range withParent {
		if tables[parent] != nil {
			tables[parent].atOnce = parents
		}
	}
	below := map[string][]string{}
	err = sqlio.Each(ctx, db, func(rows *sql.Rows) error {
		var child, parent string
		err := rows.Scan(&child, &parent)
		below[parent] = append(below[parent], child)
		return err
	}, references)
	return inOrder(tables, below), err
}

const (
	sqliteKeys = `SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND c.pk > 0 AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) w WHERE w.name = 'workspace_id') ORDER BY t.name, c.pk`
	sqliteReferences = `SELECT DISTINCT t.name, k."table" FROM pragma_table_list t, pragma_foreign_key_list(t.name) k
		WHERE t.schema = 'main' AND t.type = 'table' ORDER BY 1, 2`
	postgresKeys = `SELECT k.table_name, k.column_name FROM information_schema.table_constraints c
		JOIN information_schema.key_column_usage k ON k.constraint_schema = c.constraint_schema AND k.constraint_name = c.constraint_name AND k.table_name = c.table_name
		WHERE c.table_schema = current_schema() AND c.constraint_type = 'PRIMARY KEY' AND EXISTS (SELECT 1 FROM information_schema.columns w
			WHERE w.table_schema = c.table_schema AND w.table_name = c.table_name AND w.column_name = 'workspace_id')
		ORDER BY k.table_name, k.ordinal_position`
	postgresReferences = `SELECT DISTINCT child.relname, parent.relname FROM pg_constraint k
		JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
		JOIN pg_namespace n ON n.oid = child.relnamespace
		WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY 1, 2`
)

// inOrder sorts tables by name, but each behind those that refer to it.
func inOrder(tables map[string]*Table, below map[string][]string) (list []Table) {
	placed := map[string]bool{}
	var place func(name string)
	place = func(name string) {
		if placed[name] {
			return
		}
		placed[name] = true
		for _, child := range below[name] {
			place(child)
		}
		if tables[name] != nil {
			list = append(list, *tables[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		place(name)
	}
	return list
}

// deleteSome returns the statement that deletes some rows of a workspace.
func (t Table) deleteSome() string {
	names := make([]string, len(t.key))
	for i, name := range t.key {
		names[i] = `"` + name + `"`
	}
	key := strings.Join(names, ", ")
	return `DELETE FROM "` + t.Name + `" WHERE (` + key + `) IN (SELECT ` + key + ` FROM "` + t.Name + `" WHERE workspace_id = ? ORDER BY ` + key + ` LIMIT ?)`
}
