package projected

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// Apply moves a workspace from change after to change cursor by what write
// does, all or nothing. A file that is at cursor or beyond is left alone; one
// that is elsewhere is an error of kind Conflict.
func (f *File) Apply(ctx context.Context, w domain.WorkspaceID, after, cursor int64, write func(*Batch)) error {
	forget := false
	err := f.db.Tx(ctx, func(tx *sql.Tx) error {
		room, err := findRoom(ctx, tx, w)
		if err != nil || room.Cursor >= cursor {
			return err
		}
		if room.Cursor != after {
			return domain.Errorf(domain.Conflict, "The %s is at change %d, not at %d: another process is bringing it up to date.", f.name, room.Cursor, after)
		}
		b := newBatch(ctx, tx, room)
		b.move(w, cursor)
		write(b)
		forget = b.forget
		return b.err
	})
	if err != nil {
		return fmt.Errorf("apply to %s: %w", f.name, err)
	}
	if forget {
		return f.forget(ctx)
	}
	return nil
}

// Reset takes a workspace back to change 0; empty deletes its rows.
func (f *File) Reset(ctx context.Context, w domain.WorkspaceID, empty func(*Batch)) error {
	err := f.db.Tx(ctx, func(tx *sql.Tx) error {
		room, err := findRoom(ctx, tx, w)
		if err != nil || room.Num == 0 {
			return err
		}
		b := newBatch(ctx, tx, room)
		empty(b)
		b.Exec(`DELETE FROM workspaces WHERE num = ?`, room.Num)
		return b.err
	})
	if err != nil {
		return fmt.Errorf("reset %s: %w", f.name, err)
	}
	return f.forget(ctx)
}

// forget empties the write-ahead log, which still holds what was deleted. A
// reader in the middle of a query may keep part of it until the next time.
func (f *File) forget(ctx context.Context) error {
	err := f.db.Checkpoint(ctx)
	if domain.KindOf(err) == domain.Unavailable {
		return nil
	}
	return err
}

// Change runs write on the whole file in one transaction. The batch belongs to
// no workspace.
func (f *File) Change(ctx context.Context, write func(*Batch)) error {
	forget := false
	err := f.db.Tx(ctx, func(tx *sql.Tx) error {
		b := newBatch(ctx, tx, Room{})
		write(b)
		forget = b.forget
		return b.err
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", f.name, err)
	}
	if forget {
		return f.forget(ctx)
	}
	return nil
}
