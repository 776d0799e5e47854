// Package projected keeps a projection of the ledger in a SQLite file of its
// own. It knows how far each workspace has got, hands out snapshots, takes one
// batch of changes after another, and empties a file that another version of
// the program laid out, for the projector to fill again. What the tables hold
// is its users' business.
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

// File is an open projection. It is safe for concurrent use, and several
// processes may use the same file.
type File struct {
	db   *sqlite.DB
	name string
}

// Room is a workspace as the file knows it: by a number, so that the rows of
// the largest tables stay small. A workspace that was reset comes back under
// another number.
type Room struct {
	Num    int64 // 0 when nothing was ever written
	Cursor int64 // the last change that is in the file
}

// Open opens the projection kept in the file at path and creates it when there
// is none. A file of another layout is emptied. One that is damaged is set
// aside under a name that says so, and begun anew: all that it held stands in
// the ledger.
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
	err = db.Tx(ctx, func(tx *sql.Tx) error {
		if err := sound(ctx, tx); err != nil {
			return err
		}
		return l.lay(ctx, tx)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", l.Name, err), db.Close())
	}
	return &File{db: db, name: l.Name}, nil
}

// sound looks through the pages of the file, so that damage in the middle is
// found at the start and not by a question. It takes about a second a
// gigabyte.
func sound(ctx context.Context, tx *sql.Tx) error {
	var first string
	if err := tx.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&first); err != nil {
		return err
	}
	if first != "ok" {
		return fmt.Errorf("%w: %s", sqlite.ErrDamaged, first)
	}
	return nil
}

// setAside renames a file and what SQLite keeps beside it.
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

// Cursor is the last change of a workspace that is in the file, 0 when none is.
func (f *File) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	room, err := findRoom(ctx, f.db.Reader, w)
	return room.Cursor, err
}

// Read runs read on one snapshot of the file.
func (f *File) Read(ctx context.Context, w domain.WorkspaceID, read func(*sql.Tx, Room) error) error {
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

func findRoom(ctx context.Context, q sqlio.Querier, w domain.WorkspaceID) (Room, error) {
	var r Room
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error { return rows.Scan(&r.Num, &r.Cursor) },
		`SELECT num, cursor FROM workspaces WHERE id = ?`, string(w))
	if err != nil {
		return Room{}, fmt.Errorf("find workspace: %w", err)
	}
	return r, nil
}
