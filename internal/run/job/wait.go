package job

import (
	"context"
	"database/sql"
	"errors"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// ErrAsleep is returned by a handler whose run asks a person. The run waits for Reply or Wake, and the try does not count.
var ErrAsleep = errors.New("the run waits for a person")

// An ExpectedError fails a run whose purpose is to find out whether it fails, so nobody needs to look into it.
type ExpectedError struct{ Err error }

// Error implements error.
func (e *ExpectedError) Error() string { return e.Err.Error() }

// Unwrap returns why the run failed.
func (e *ExpectedError) Unwrap() error { return e.Err }

// Sleep makes owner's run wait for a reply. If its input was replied to since it was claimed as r, the run goes back to
// the queue instead.
func (q *Queue) Sleep(ctx context.Context, r Run, owner string) (Run, error) {
	return q.leave(ctx, r.ID, owner, `status = CASE WHEN input = ? THEN 'asking' ELSE 'waiting' END, owner = '', lease_until = 0, next_try = 0, attempt = attempt - 1`,
		string(r.Input))
}

// Reply replaces the input of a run, which contains its condition for waking, and wakes the run or keeps it from
// falling asleep. It changes nothing and returns false if the run has ended or its input is no longer before.
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

// Wake makes a run that waits for a person claimable, and reports whether it did.
func (q *Queue) Wake(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (slept bool, err error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE workspace_id = ? AND id = ? AND status IN `+asleep, ws, id)
	if err == nil && n > 0 {
		q.Announce()
	}
	return n > 0, q.wrap("wake run", err)
}

// Pause pauses the runs of a kind that wait for a worker, and returns their number.
func (q *Queue) Pause(ctx context.Context, ws domain.WorkspaceID, kind string) (int, error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'paused' WHERE workspace_id = ? AND kind = ? AND status IN ('waiting', 'capped') AND status <> 'done'`, ws, kind)
	return n, q.wrap("pause runs", err)
}

// GoOn makes the paused runs of a kind claimable again, and returns their number.
func (q *Queue) GoOn(ctx context.Context, ws domain.WorkspaceID, kind string) (int, error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE workspace_id = ? AND kind = ? AND status = 'paused' AND status <> 'done'`, ws, kind)
	if err == nil && n > 0 {
		q.Announce()
	}
	return n, q.wrap("go on with runs", err)
}

// PauseOne pauses a run that waits for a worker, until GoOn or Wake, and reports whether it did.
func (q *Queue) PauseOne(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (bool, error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'paused' WHERE workspace_id = ? AND id = ? AND status IN ('waiting', 'capped')`, ws, id)
	return n > 0, q.wrap("pause a run", err)
}

// Prefer moves a waiting run ahead of the others of its kind, even if it is held or paused.
func (q *Queue) Prefer(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0, priority = 1 + (SELECT MAX(o.priority) FROM runs o
			WHERE o.workspace_id = runs.workspace_id AND o.kind = runs.kind AND o.status IN `+pending+` AND o.status <> 'done')
		WHERE workspace_id = ? AND id = ? AND status IN `+pending, ws, id)
	if err == nil && n > 0 {
		q.Announce()
	}
	return q.wrap("prefer a run", err)
}

// Stop asks a run to stop. A waiting run is stopped at once, a running one as soon as its worker notices; one that has
// ended stays as it is. NotFound means that the workspace has no such run, or that it belongs to others than the viewer of
// ctx, and Forbidden that these have shared it.
func (q *Queue) Stop(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	if err := q.mayChange(ctx, ws, id); err != nil {
		return err
	}
	n, err := q.exec(ctx, ledger.StopRuns+`workspace_id = ? AND id = ?`, sqlio.Millis(q.now()), ws, id)
	if err != nil {
		return q.wrap("stop run", err)
	}
	if n == 0 {
		_, err = q.Get(ctx, ws, id)
		return err
	}
	q.announceStop()
	return nil
}

// mayChange fails with kind NotFound or Forbidden if a run belongs to others than the viewer of ctx.
func (q *Queue) mayChange(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	mine, who := ledger.OwnRuns(ctx)
	if who == nil {
		return nil
	}
	_, ok, err := q.one(ctx, q.reader, `SELECT `+columns+` FROM runs WHERE workspace_id = ? AND id = ? AND `+mine, append([]any{ws, id}, who...)...)
	if ok || err != nil {
		return q.wrap("read run", err)
	}
	if _, err := q.Get(ctx, ws, id); err != nil {
		return err
	}
	return domain.Errorf(domain.Forbidden, "The run is shared with you to read.")
}

// Withdraw deletes a run that waits and that no worker has ever claimed, in a transaction, and reports whether it did.
func (q *Queue) Withdraw(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID) (bool, error) {
	gone, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM runs WHERE workspace_id = ? AND id = ? AND status IN `+pending+` AND started_at = 0`, ws, id))
	return gone, q.wrap("withdraw run", err)
}
