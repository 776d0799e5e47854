package job

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// ErrAsleep is returned by a handler whose run waits for a person. The run sleeps until Wake, and the try does not count.
var ErrAsleep = errors.New("the run waits for a person")

// An ExpectedError ends a run as failed whose purpose is to find out whether it fails: it is nothing to look into.
type ExpectedError struct{ Err error }

// Error implements error.
func (e *ExpectedError) Error() string { return e.Err.Error() }

// Unwrap returns why the run failed.
func (e *ExpectedError) Unwrap() error { return e.Err }

// farFuture is the next try of a sleeping run.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Sleep makes owner's run sleep until Wake or Reply. A run whose input was replied to since it was claimed as r goes back
// to the queue instead.
func (q *Queue) Sleep(ctx context.Context, r Run, owner string) (Run, error) {
	return q.leave(ctx, r.ID, owner, `status = ?, owner = '', lease_until = 0, next_try = CASE WHEN input = ? THEN CAST(? AS BIGINT) ELSE 0 END, attempt = attempt - 1`,
		Waiting, string(r.Input), sqlio.Millis(farFuture))
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
	res, err := tx.ExecContext(ctx, `UPDATE runs SET input = ?, next_try = CASE WHEN next_try = CAST(? AS BIGINT) THEN 0 ELSE next_try END
		WHERE workspace_id = ? AND id = ? AND input = ? AND status IN (?, ?)`,
		string(after), sqlio.Millis(farFuture), ws, id, string(before), Waiting, Running)
	if err != nil {
		return false, q.wrap("reply to run", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Wake lets a sleeping run be claimed, and reports whether it slept.
func (q *Queue) Wake(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (slept bool, err error) {
	n, err := q.exec(ctx, `UPDATE runs SET next_try = 0 WHERE workspace_id = ? AND id = ? AND status = ? AND next_try = ?`,
		ws, id, Waiting, sqlio.Millis(farFuture))
	if err == nil && n > 0 {
		q.Announce()
	}
	return n > 0, q.wrap("wake run", err)
}

// Asleep reports whether r waits for a person.
func (r Run) Asleep() bool { return r.Status == Waiting && r.NextTry.Equal(farFuture) }
