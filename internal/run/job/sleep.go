package job

import (
	"context"
	"database/sql"
	"errors"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// ErrAsleep is returned by a handler whose run asks a person. The run waits for Reply or Wake, and the try does not count.
var ErrAsleep = errors.New("the run waits for a person")

// An ExpectedError ends a run as failed whose purpose is to find out whether it fails: it is nothing to look into.
type ExpectedError struct{ Err error }

// Error implements error.
func (e *ExpectedError) Error() string { return e.Err.Error() }

// Unwrap returns why the run failed.
func (e *ExpectedError) Unwrap() error { return e.Err }

// Sleep makes owner's run wait for a reply. A run whose input was replied to since it was claimed as r goes back to the
// queue instead.
func (q *Queue) Sleep(ctx context.Context, r Run, owner string) (Run, error) {
	return q.leave(ctx, r.ID, owner, `status = CASE WHEN input = ? THEN 'asking' ELSE 'waiting' END, owner = '', lease_until = 0, next_try = 0, attempt = attempt - 1`,
		string(r.Input))
}

// Reply replaces the input of a run, which holds what it waits for, and wakes the run or keeps it from falling asleep. It
// reports false if the run's input is not before, or the run has ended, and changes nothing then.
func (q *Queue) Reply(ctx context.Context, ws domain.WorkspaceID, id domain.RunID, before, after []byte) (replied bool, err error) {
	err = sqlio.InTx(ctx, q.writer, func(tx *sql.Tx) (err error) {
		replied, err = q.ReplyTx(ctx, tx, ws, id, before, after)
		return err
	})
	if err == nil && replied {
		q.Announce()
	}
	return replied, q.wrap("reply to run", err)
}

// ReplyTx is like Reply but runs in a transaction of the queue's database. Call Announce after the commit.
func (q *Queue) ReplyTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID, before, after []byte) (bool, error) {
	replied, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE runs SET input = ?, status = CASE status WHEN 'asking' THEN 'waiting' ELSE status END
		WHERE workspace_id = ? AND id = ? AND input = ? AND (status IN `+pending+` OR status = 'running')`, string(after), ws, id, string(before)))
	return replied, q.wrap("reply to run", err)
}

// Wake lets a run be claimed that waits for a person, and reports whether it did.
func (q *Queue) Wake(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (slept bool, err error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE workspace_id = ? AND id = ? AND status IN `+asleep, ws, id)
	if err == nil && n > 0 {
		q.Announce()
	}
	return n > 0, q.wrap("wake run", err)
}
