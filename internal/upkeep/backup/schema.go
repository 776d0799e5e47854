package backup

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// Kind is a column's type.
type Kind string

// The kinds of column.
const (
	Text    Kind = "text"
	Integer Kind = "integer"
	Real    Kind = "real"
	Blob    Kind = "blob"
)

// A Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// A Table is a table with its columns in order.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// Tables lists the tables of a database's schema, parents before children, without
// the tables and columns that are not archived. q reads the schema of db.
func Tables(ctx context.Context, db *sql.DB, q sqlio.Querier) ([]Table, error) {
	columns, parents := sqliteColumns, sqliteParents
	if sqlio.DialectOf(db).Postgres {
		columns, parents = postgresColumns, postgresParents
	}
	tables := map[string]*Table{}
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error {
		var table, column, declared string
		if err := rows.Scan(&table, &column, &declared); err != nil || LeftOut(table) || unmarked[table] == column {
			return err
		}
		if tables[table] == nil {
			tables[table] = &Table{Name: table}
		}
		tables[table].Columns = append(tables[table].Columns, Column{column, kindOf(declared)})
		return nil
	}, columns)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	above := map[string][]string{}
	err = sqlio.Each(ctx, q, func(rows *sql.Rows) error {
		var child, parent string
		err := rows.Scan(&child, &parent)
		above[child] = append(above[child], parent)
		return err
	}, parents)
	if err != nil {
		return nil, fmt.Errorf("read the schema's references: %w", err)
	}
	return inOrder(tables, above), nil
}

const (
	sqliteColumns = `SELECT t.name, c.name, c.type FROM pragma_table_list t, pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY t.name, c.cid`
	sqliteParents = `SELECT DISTINCT t.name, k."table" FROM pragma_table_list t, pragma_foreign_key_list(t.name) k
		WHERE t.schema = 'main' AND t.type = 'table' ORDER BY 1, 2`
	postgresColumns = `SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c
		JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
		ORDER BY c.table_name, c.ordinal_position`
	postgresParents = `SELECT DISTINCT child.relname, parent.relname FROM pg_constraint k
		JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
		JOIN pg_namespace n ON n.oid = child.relnamespace
		WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY 1, 2`
)

// kindOf returns the kind of a declared type by SQLite's affinity rules.
func kindOf(declared string) Kind {
	d := strings.ToUpper(declared)
	for _, rule := range []struct {
		part string
		kind Kind
	}{{"INT", Integer}, {"BLOB", Blob}, {"BYTEA", Blob}, {"REAL", Real}, {"FLOA", Real}, {"DOUBLE", Real}} {
		if strings.Contains(d, rule.part) {
			return rule.kind
		}
	}
	return Text
}

// inOrder sorts tables by name, but each behind those that it refers to, unless
// they refer to each other.
func inOrder(tables map[string]*Table, above map[string][]string) []Table {
	var list []Table
	placed := map[string]bool{}
	var place func(name string)
	place = func(name string) {
		if placed[name] || tables[name] == nil {
			return
		}
		placed[name] = true
		for _, parent := range above[name] {
			place(parent)
		}
		list = append(list, *tables[name])
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		place(name)
	}
	return list
}

// list returns the names of the columns for a statement.
func (t Table) list() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = quoted(c.Name)
	}
	return strings.Join(names, ", ")
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// putOffIndexes drops the indexes of an empty database and returns the statements
// that create them again: to sort all rows once is quicker than to find the place of
// each. Those that keep rows unique stay.
func putOffIndexes(ctx context.Context, db *sql.DB) ([]string, error) {
	indexes := sqliteIndexes
	if sqlio.DialectOf(db).Postgres {
		indexes = postgresIndexes
	}
	var create, drop []string
	err := sqlio.Each(ctx, db, func(rows *sql.Rows) error {
		var name, statement string
		err := rows.Scan(&name, &statement)
		drop, create = append(drop, `DROP INDEX `+quoted(name)), append(create, statement)
		return err
	}, indexes)
	if err != nil {
		return nil, fmt.Errorf("read the indexes: %w", err)
	}
	return create, sqlio.ExecAll(ctx, db, nil, drop...)
}

const (
	sqliteIndexes   = `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%' ORDER BY name`
	postgresIndexes = `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexdef LIKE 'CREATE INDEX%' ORDER BY indexname`
)
