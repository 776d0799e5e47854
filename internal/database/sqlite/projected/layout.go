package projected

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// A Layout describes the file of a projection.
type Layout struct {
	Name    string // in errors, for instance "graph"
	Version int    // from 1; raised whenever the meaning of Schema changes
	Schema  string // creates the tables, except those for workspaces and their moves
}

// Workspace numbers are never reused: rows cached in memory are stale when their
// number is gone.
const workspaces = `CREATE TABLE workspaces (
	num    INTEGER PRIMARY KEY AUTOINCREMENT,
	id     TEXT NOT NULL UNIQUE,
	cursor INTEGER NOT NULL
)`

// The last move of each workspace, which survives a reset: it identifies a move that comes too late or twice.
const moves = `CREATE TABLE moves (
	workspace TEXT PRIMARY KEY,
	token     INTEGER NOT NULL,
	after     INTEGER NOT NULL,
	cursor    INTEGER NOT NULL
) WITHOUT ROWID`

// lay creates the tables in an empty file, or replaces those of another version.
func (l Layout) lay(ctx context.Context, tx *sql.Tx) error {
	var have int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have == l.Version {
		_, err := tx.ExecContext(ctx, owners)
		return err
	}
	if err := dropTables(ctx, tx); err != nil {
		return err
	}
	for _, create := range []string{workspaces, moves, owners, l.Schema} {
		if _, err := tx.ExecContext(ctx, create); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, l.Version))
	return err
}

// dropTables drops all tables, the virtual ones first: their data tables go with
// them.
func dropTables(ctx context.Context, tx *sql.Tx) error {
	for _, which := range []string{`sql LIKE 'CREATE VIRTUAL%'`, `name NOT LIKE 'sqlite\_%' ESCAPE '\'`} {
		names, err := sqlio.Collect(ctx, tx, sqlio.Column[string],
			`SELECT name FROM sqlite_schema WHERE type = 'table' AND `+which+` ORDER BY name`)
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
