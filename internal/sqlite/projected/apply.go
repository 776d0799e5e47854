package projected

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// Apply moves a workspace from change after to change cursor in one transaction,
// in which write makes the changes. It does nothing when the workspace is at
// cursor or beyond. The error is Conflict when it is at another change.
func (f *File) Apply(ctx context.Context, w domain.WorkspaceID, after, cursor int64, write func(*Batch)) error {
	return f.write(ctx, "apply to", func(tx *sql.Tx) (*Batch, error) {
		room, err := findRoom(ctx, tx, w)
		if err != nil || room.Cursor >= cursor {
			return nil, err
		}
		if room.Cursor != after {
			return nil, domain.Errorf(domain.Conflict, "The %s is at change %d, not at %d: another process is bringing it up to date.", f.name, room.Cursor, after)
		}
		b := newBatch(ctx, tx, room)
		b.move(w, cursor)
		write(b)
		return b, nil
	})
}

// Reset returns a workspace to change 0. empty deletes its rows.
func (f *File) Reset(ctx context.Context, w domain.WorkspaceID, empty func(*Batch)) error {
	return f.write(ctx, "reset", func(tx *sql.Tx) (*Batch, error) {
		room, err := findRoom(ctx, tx, w)
		if err != nil || room.Num == 0 {
			return nil, err
		}
		b := newBatch(ctx, tx, room)
		empty(b)
		b.Exec(`DELETE FROM workspaces WHERE num = ?`, room.Num)
		b.Forget()
		return b, nil
	})
}

// Change calls write in one transaction, with a batch of no workspace.
func (f *File) Change(ctx context.Context, write func(*Batch)) error {
	return f.write(ctx, "change", func(tx *sql.Tx) (*Batch, error) {
		b := newBatch(ctx, tx, Workspace{})
		write(b)
		return b, nil
	})
}

// write runs do in a transaction. When its batch has deleted words, it then
// empties the write-ahead log, which still holds them. A reader in the middle of
// a query may keep part of the log until the next time.
func (f *File) write(ctx context.Context, operation string, do func(*sql.Tx) (*Batch, error)) error {
	forget := false
	err := tx(ctx, f.db, func(tx *sql.Tx) error {
		b, err := do(tx)
		if b == nil {
			return err
		}
		forget = b.forget
		return b.err
	})
	if err != nil {
		return fmt.Errorf("%s %s: %w", operation, f.name, err)
	}
	if forget {
		err = f.db.Checkpoint(ctx)
	}
	if domain.KindOf(err) == domain.Unavailable {
		return nil
	}
	return err
}
