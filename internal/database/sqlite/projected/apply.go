package projected

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
)

// A Move takes a workspace from one change to another.
type Move struct {
	Token         int64 // of the lease under which it was computed
	After, Cursor int64
}

// Apply moves a workspace in one transaction, in which write makes the changes.
// It does nothing when m is the last move that was applied. The error is Conflict
// when the file has seen a higher token or the workspace is not at m.After.
func (f *File) Apply(ctx context.Context, w domain.WorkspaceID, m Move, write func(*Batch)) error {
	return f.write(ctx, "apply to", func(tx *sql.Tx) (*Batch, error) {
		room, last, err := f.admit(ctx, tx, w, m.Token)
		if err != nil || last == m && room.Cursor == m.Cursor {
			return nil, err
		}
		if room.Cursor != m.After {
			return nil, domain.Errorf(domain.Conflict, "The %s is at change %d, not at %d: another process is bringing it up to date.", f.name, room.Cursor, m.After)
		}
		b := newBatch(ctx, tx, room)
		b.short = true
		b.move(w, m.Cursor)
		if room.Num == 0 {
			b.note(w, f.owners.Of(w))
		}
		b.remember(w, m)
		write(b)
		return b, nil
	})
}

// Reset returns a workspace to change 0. empty deletes its rows. The error is
// Conflict when the file has seen a higher token.
func (f *File) Reset(ctx context.Context, w domain.WorkspaceID, token int64, empty func(*Batch)) error {
	return f.write(ctx, "reset", func(tx *sql.Tx) (*Batch, error) {
		room, _, err := f.admit(ctx, tx, w, token)
		if err != nil {
			return nil, err
		}
		b := newBatch(ctx, tx, room)
		b.remember(w, Move{Token: token})
		if room.Num == 0 {
			return b, nil
		}
		empty(b)
		b.Exec(`DELETE FROM workspaces WHERE num = ?`, room.Num)
		b.Forget()
		return b, nil
	})
}

// admit finds a workspace and its last move. The error is Conflict for a token
// lower than that of the last move.
func (f *File) admit(ctx context.Context, tx *sql.Tx, w domain.WorkspaceID, token int64) (room Workspace, last Move, err error) {
	if room, err = findRoom(ctx, tx, w); err != nil {
		return room, last, err
	}
	if err := f.own(ctx, tx, w); err != nil {
		return room, last, err
	}
	err = sqlio.Each(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(&last.Token, &last.After, &last.Cursor) },
		`SELECT token, after, cursor FROM moves WHERE workspace = ?`, string(w))
	if err == nil && last.Token > token {
		err = domain.Errorf(domain.Conflict, "The %s was changed under a later lease: another process is bringing it up to date.", f.name)
	}
	return room, last, err
}

// Change calls write in one transaction, with a batch of no workspace.
func (f *File) Change(ctx context.Context, write func(*Batch)) error {
	return f.write(ctx, "change", func(tx *sql.Tx) (*Batch, error) {
		b := newBatch(ctx, tx, Workspace{})
		write(b)
		return b, nil
	})
}

// write runs do in a transaction. When its batch has deleted words, it notes that for
// Scrub, and empties the write-ahead log, which still holds them. A reader in the middle
// of a query may keep part of the log until the next time.
func (f *File) write(ctx context.Context, operation string, do func(*sql.Tx) (*Batch, error)) error {
	forget := false
	err := tx(ctx, f.db, func(tx *sql.Tx) error {
		b, err := do(tx)
		if b == nil {
			return err
		}
		if forget = b.forget; forget && b.err == nil {
			b.Fail(sqlite.NoteDeletion(ctx, tx))
		}
		return b.err
	})
	if err != nil {
		return f.explain(fmt.Errorf("%s %s: %w", operation, f.name, err))
	}
	if forget {
		err = f.db.Checkpoint(ctx)
	}
	if domain.KindOf(err) == domain.Unavailable {
		return nil
	}
	return err
}
