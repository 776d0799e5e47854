// Package projected keeps a projection of the ledger in a SQLite file: the graph
// or the search index. It stores a cursor for each workspace, applies batches of
// changes, reads snapshots, and empties a file with the layout of another version
// for the projector to fill again. The packages that use it define the tables.
package projected

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite"
)

// A File is an open projection. It is safe for concurrent use, and several
// processes may use the same file.
type File struct {
	db     *sqlite.DB
	path   string
	name   string
	owners domain.Owners
}

// A Workspace is a workspace in the file. A number identifies it, which keeps the rows
// of the largest tables small. A workspace gets a new number after a reset.
type Workspace struct {
	Num    int64 // 0 when nothing was ever written
	Cursor int64 // number of the last change in the file
}

// Open opens or creates the projection in the file at path. It empties a file of
// another layout. It renames a damaged file and begins a new one: everything in
// it can be rebuilt from the ledger.
func Open(ctx context.Context, path string, l Layout) (*File, error) {
	f, err := open(ctx, path, l)
	if !sqlite.Damaged(err) {
		return f, err
	}
	if err := setAside(path); err != nil {
		return nil, fmt.Errorf("set a damaged %s aside: %w", l.Name, err)
	}
	return open(ctx, path, l)
}

func open(ctx context.Context, path string, l Layout) (*File, error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", l.Name, err)
	}
	err = tx(ctx, db, func(tx *sql.Tx) error {
		if err := sound(ctx, tx); err != nil {
			return err
		}
		return l.lay(ctx, tx)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", l.Name, err), db.Close())
	}
	return &File{db: db, path: path, name: l.Name}, nil
}

// tx runs f in a transaction that holds the write lock from its beginning.
func tx(ctx context.Context, db *sqlite.DB, f func(*sql.Tx) error) error {
	return sqlite.Explain(sqlio.InTx(ctx, db.Writer, f))
}

// sound checks all pages of the tables, so that damage is found at the start and not
// by a question. It takes about a second per gigabyte, as it goes table by table: a
// check of the whole file would break the text of each full-text table into words again.
func sound(ctx context.Context, tx *sql.Tx) error {
	names, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT 'sqlite_schema' UNION ALL
		SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
	if err != nil {
		return err
	}
	for _, name := range names {
		var first string
		if err := tx.QueryRowContext(ctx, `SELECT quick_check FROM pragma_quick_check(?)`, name).Scan(&first); err != nil {
			return err
		}
		if first != "ok" {
			return fmt.Errorf("%w: %s: %s", sqlite.ErrDamaged, name, first)
		}
	}
	return nil
}

// setAside renames a file and SQLite's files beside it.
func setAside(path string) error {
	for _, ending := range []string{"", "-wal", "-shm"} {
		err := os.Rename(path+ending, path+".damaged"+ending)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close releases the file.
func (f *File) Close() error { return f.db.Close() }

// Cursor returns the number of a workspace's last change in the file, 0 when
// there is none.
func (f *File) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	room, err := findRoom(ctx, f.db.Reader, w)
	if err == nil {
		err = f.own(ctx, f.db.Reader, w)
	}
	return room.Cursor, err
}

// Read calls read with one snapshot of the file.
func (f *File) Read(ctx context.Context, w domain.WorkspaceID, read func(*sql.Tx, Workspace) error) error {
	tx, err := f.db.Reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	room, err := findRoom(ctx, tx, w)
	if err != nil {
		return err
	}
	return read(tx, room)
}

func findRoom(ctx context.Context, q sqlio.Querier, w domain.WorkspaceID) (Workspace, error) {
	var r Workspace
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error { return rows.Scan(&r.Num, &r.Cursor) },
		`SELECT num, cursor FROM workspaces WHERE id = ?`, string(w))
	if err != nil {
		return Workspace{}, fmt.Errorf("find workspace: %w", err)
	}
	return r, nil
}
