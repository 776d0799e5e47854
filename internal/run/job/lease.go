package job

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Heartbeat extends owner's lease by its length and reports whether the run was asked to stop. Conflict means that the
// lease is lost: another owner has the run, or it is gone.
func (q *Queue) Heartbeat(ctx context.Context, id domain.RunID, owner string) (stopAsked bool, err error) {
	r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET lease_until = ? + lease WHERE id = ? AND owner = ? AND status = ? RETURNING `+columns,
		sqlio.Millis(q.now()), id, owner, Running)
	if err == nil && !ok {
		return false, notOwned(id, owner)
	}
	return r.StopAsked, q.wrap("extend lease", err)
}

func notOwned(id domain.RunID, owner string) error {
	return domain.Errorf(domain.Conflict, "Run %s is not leased to %s.", id, owner)
}

// LeasedTo lists the running runs that are leased to owner, by id.
func (q *Queue) LeasedTo(ctx context.Context, owner string) ([]Run, error) {
	runs, err := q.many(ctx, `SELECT `+columns+` FROM runs WHERE owner = ? AND status = ? ORDER BY id`, owner, Running)
	return runs, q.wrap("list leases", err)
}

// Finish ends owner's run as done. Finish, Fail, ConfirmStop, Release and Sleep return Conflict when the run is not leased
// to owner.
func (q *Queue) Finish(ctx context.Context, id domain.RunID, owner string) (Run, error) {
	return q.end(ctx, id, owner, Done, nil)
}

// ConfirmStop ends owner's run as stopped.
func (q *Queue) ConfirmStop(ctx context.Context, id domain.RunID, owner string) (Run, error) {
	return q.end(ctx, id, owner, Stopped, nil)
}

// end keeps the lease: its owner settles the run next.
func (q *Queue) end(ctx context.Context, id domain.RunID, owner string, status Status, cause error) (Run, error) {
	now := sqlio.Millis(q.now())
	return q.leave(ctx, id, owner, `status = ?, problem = ?, problem_kind = ?, finished_at = ?, lease_until = ? + lease`, status, problem(id, cause), problemKind(cause), now, now)
}

// problem returns the user-facing sentence of err, one that points to the log if it has none, or "" if err is nil.
func problem(id domain.RunID, err error) string {
	if err == nil {
		return ""
	}
	if message, ok := domain.MessageOf(err); ok {
		return message
	}
	return fmt.Sprintf("Something went wrong inside the program. Its log says what, under run %s.", id)
}

// problemKind returns the name of err's kind, "" if err is nil.
func problemKind(err error) string {
	if err == nil {
		return ""
	}
	return domain.KindOf(err).String()
}

// Fail records why owner's run failed. The run is tried again at retry, or ends as failed when retry is zero or its
// attempts are used up.
func (q *Queue) Fail(ctx context.Context, id domain.RunID, owner string, cause error, retry time.Time) (Run, error) {
	if !retry.IsZero() {
		r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET status = 'waiting', problem = ?, problem_kind = ?, next_try = ?, owner = '', lease_until = 0
			WHERE id = ? AND owner = ? AND status = ? AND stop_asked = 0 AND attempt < max_attempts RETURNING `+columns,
			problem(id, cause), problemKind(cause), sqlio.Millis(retry), id, owner, Running)
		if ok || err != nil {
			return r, q.wrap("put off run", err)
		}
	}
	return q.end(ctx, id, owner, Failed, cause)
}

// Progressed resets the attempts of a run, in the transaction that stores what the run has done. A run that makes some
// progress each time is not given up, however often its process is killed.
func (q *Queue) Progressed(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID) error {
	_, err := tx.ExecContext(ctx, `UPDATE runs SET attempt = 1 WHERE workspace_id = ? AND id = ? AND status = ? AND attempt > 1`, ws, id, Running)
	return q.wrap("note the progress of a run", err)
}

// Postpone returns owner's run to the queue until retry, because a server that it needs is down or a cap is reached. The
// try does not count. A run that was asked to stop ends as stopped.
func (q *Queue) Postpone(ctx context.Context, id domain.RunID, owner string, cause error, retry time.Time) (Run, error) {
	status := Waiting
	if domain.KindOf(cause) == domain.Capped {
		status = Capped
	}
	r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET status = ?, problem = ?, problem_kind = ?, next_try = ?, owner = '', lease_until = 0, attempt = attempt - 1
		WHERE id = ? AND owner = ? AND status = ? AND stop_asked = 0 RETURNING `+columns,
		status, problem(id, cause), problemKind(cause), sqlio.Millis(retry), id, owner, Running)
	if ok || err != nil {
		return r, q.wrap("put off run", err)
	}
	return q.end(ctx, id, owner, Stopped, nil)
}

// RetryNow lets a run that waits, for whatever, be claimed at once. Other runs stay as they are. NotFound means that the
// workspace has no such run.
func (q *Queue) RetryNow(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE workspace_id = ? AND id = ? AND status IN `+pending, ws, id)
	if err != nil {
		return q.wrap("retry run", err)
	}
	if n == 0 {
		_, err = q.Get(ctx, ws, id)
		return err
	}
	q.changed.broadcast()
	return nil
}

// RetryAll lets all runs of a workspace that wait for their next try be claimed at once. Those that wait for a person go on
// sleeping.
func (q *Queue) RetryAll(ctx context.Context, ws domain.WorkspaceID) error {
	return q.retry(ctx, `workspace_id = ?`, ws)
}

// RetryEverywhere is RetryAll of every workspace.
func (q *Queue) RetryEverywhere(ctx context.Context) error {
	return q.retry(ctx, `workspace_id <> ?`, "")
}

func (q *Queue) retry(ctx context.Context, cond string, args ...any) error {
	_, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE `+cond+` AND status IN ('waiting', 'capped') AND next_try > 0`, args...)
	if err != nil {
		return q.wrap("retry runs", err)
	}
	q.changed.broadcast()
	return nil
}

// Release returns owner's run to the queue, to be claimed at once. The try does not count.
func (q *Queue) Release(ctx context.Context, id domain.RunID, owner string) (Run, error) {
	return q.leave(ctx, id, owner, `status = ?, owner = '', lease_until = 0, next_try = 0, attempt = attempt - 1`, Waiting)
}

// leave updates a run that owner has leased.
func (q *Queue) leave(ctx context.Context, id domain.RunID, owner, set string, args ...any) (Run, error) {
	r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET `+set+` WHERE id = ? AND owner = ? AND status = ? RETURNING `+columns,
		append(args, id, owner, Running)...)
	if err == nil && !ok {
		return Run{}, notOwned(id, owner)
	}
	return r, q.wrap("end run", err)
}

// MarkSettled marks an ended run as settled. Conflict means that it is not leased to owner.
func (q *Queue) MarkSettled(ctx context.Context, id domain.RunID, owner string) error {
	return sqlio.InTx(ctx, q.writer, func(tx *sql.Tx) error { return q.markSettled(ctx, tx, id, owner) })
}

func (q *Queue) markSettled(ctx context.Context, tx *sql.Tx, id domain.RunID, owner string) error {
	done, err := tx.ExecContext(ctx, `UPDATE runs SET settled = 1, lease_until = 0 WHERE id = ? AND owner = ? AND status IN (?, ?, ?)`,
		id, owner, Done, Failed, Stopped)
	if err != nil {
		return q.wrap("settle run", err)
	}
	n, err := done.RowsAffected()
	if err == nil && n == 0 {
		return notOwned(id, owner)
	}
	return err
}
