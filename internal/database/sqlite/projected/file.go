// Package projected keeps a projection of the ledger in a SQLite file: the graph or the search index.
// It stores a cursor for each workspace, applies batches of changes, reads snapshots, and empties a
// file with another version's layout for the projector to fill again. The packages that use it define
// the tables.
package projected

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
)

// A File is an open projection. It is safe for concurrent use, and several
// processes may use the same file.
type File struct {
	db     *sqlite.DB
	path   string
	name   string
	anew   bool
	owners domain.Owners
}

// A Workspace is a workspace in the file. A number identifies it, which keeps the rows
// of the largest tables small. A workspace gets a new number after a reset.
type Workspace struct {
	Num    int64 // 0 if nothing was ever written
	Cursor int64 // number of the last change in the file
}

// Open opens or creates the projection in the file at path. It empties a file of
// another layout. It removes a damaged file and begins a new one: everything in it can
// be rebuilt from the ledger, and kept it would hold words that are deleted later.
func Open(ctx context.Context, path string, l Layout) (*File, error) {
	f, err := open(ctx, path, l)
	if !sqlite.Damaged(err) {
		return f, err
	}
	if err := remove(path); err != nil {
		return nil, fmt.Errorf("remove a damaged %s: %w", l.Name, err)
	}
	if f, err = open(ctx, path, l); err == nil {
		f.anew = true
	}
	return f, err
}

// Anew reports whether the file was damaged when it was opened, and replaced by an empty one.
func (f *File) Anew() bool { return f.anew }

// Damage lists what contradicts itself in the file: pages, and tables and their indexes.
func (f *File) Damage(ctx context.Context) (found []string, err error) {
	names, err := tables(ctx, f.db.Reader)
	for _, name := range names {
		if err != nil {
			break
		}
		var of []string
		of, err = sqlio.Collect(ctx, f.db.Reader, sqlio.Column[string], `SELECT integrity_check FROM pragma_integrity_check(?) WHERE integrity_check <> 'ok'`, name)
		found = append(found, of...)
	}
	if sqlite.Damaged(err) {
		return append(found, "a page can't be read"), nil
	}
	return found, sqlite.Explain(err)
}

// tables lists the tables that a check goes through. A check of a full-text table would break its
// text into words again.
func tables(ctx context.Context, q sqlio.Querier) ([]string, error) {
	return sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT 'sqlite_schema' UNION ALL
		SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
}

// explain adds advice to the error for a page that was damaged after the file was opened.
func (f *File) explain(err error) error {
	if !sqlite.Damaged(err) {
		return err
	}
	return domain.Because(domain.Conflict, err, "The file of the %s is damaged. Start the program again: it then rebuilds the %s from the ledger.", f.name, f.name)
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
// by a question. It takes about a second per gigabyte.
func sound(ctx context.Context, tx *sql.Tx) error {
	names, err := tables(ctx, tx)
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

// remove removes a file and SQLite's files beside it.
func remove(path string) error {
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Scrub removes deleted words from the disk, see sqlite.DB.Scrub.
func (f *File) Scrub(ctx context.Context, pages int) (left int, err error) {
	return f.db.Scrub(ctx, pages)
}

// Close releases the file.
func (f *File) Close() error { return f.db.Close() }

// Cursor returns the number of a workspace's last change in the file, or 0 if there is none.
func (f *File) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	room, err := findRoom(ctx, f.db.Reader, w)
	if err == nil {
		err = f.own(ctx, f.db.Reader, w)
	}
	return room.Cursor, f.explain(err)
}

// Read calls read with one snapshot of the file.
func (f *File) Read(ctx context.Context, w domain.WorkspaceID, read func(*sql.Tx, Workspace) error) error {
	tx, err := f.db.Reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	room, err := findRoom(ctx, tx, w)
	if err == nil {
		err = read(tx, room)
	}
	return f.explain(err)
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
