package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/sqlite"
)

// version is raised whenever the meaning of schema.sql changes.
const version = 1

//go:embed schema.sql
var schema string

// Open opens the search index kept in the file at path and creates it when there is
// none. A file of another layout is emptied.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	err = db.Tx(ctx, func(tx *sql.Tx) error { return migrate(ctx, tx) })
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open search index: %w", err), db.Close())
	}
	return &Store{db: db, flats: map[flatKey]*flat{}, words: map[wordsKey]*frequencies{}}, nil
}

// migrate brings an empty file, or one of another version, to this version's
// empty layout.
func migrate(ctx context.Context, tx *sql.Tx) error {
	var have int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have == version {
		return nil
	}
	if err := dropTables(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("create tables: %w", err)
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}

// dropTables removes every table, the virtual ones first: they take the
// tables they keep their data in with them.
func dropTables(ctx context.Context, tx *sql.Tx) error {
	for _, which := range []string{`sql LIKE 'CREATE VIRTUAL%'`, `name NOT LIKE 'sqlite\_%' ESCAPE '\'`} {
		var names []string
		err := each(ctx, tx, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			names = append(names, name)
			return err
		}, `SELECT name FROM sqlite_schema WHERE type = 'table' AND `+which+` ORDER BY name`)
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := tx.ExecContext(ctx, `DROP TABLE "`+name+`"`); err != nil {
				return fmt.Errorf("drop table %s: %w", name, err)
			}
		}
	}
	return nil
}
