package job

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/lease"
)

// claims leases runs, with the arguments claimed.
const claims = `UPDATE runs SET status = ?, owner = ?, lease = ?, lease_until = ?, attempt = attempt + 1,
	started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END`

func claimed(owner string, lease time.Duration, now time.Time) []any {
	return []any{Running, owner, lease.Milliseconds(), sqlio.Millis(now.Add(lease)), sqlio.Millis(now)}
}

// ClaimOne leases one waiting run to owner and reports whether it could.
func (q *Queue) ClaimOne(ctx context.Context, id domain.RunID, owner string, lease time.Duration) (Run, bool, error) {
	now := q.now()
	r, ok, err := q.leased(ctx, claims+` WHERE id = ? AND stop_asked = 0 AND status IN ('waiting', 'capped') AND next_try <= ?`,
		append(claimed(owner, lease, now), id, sqlio.Millis(now))...)
	return r, ok, q.wrap("claim run", err)
}

// Reap ends the runs without a lease that can't be claimed, and returns their number: runs that were asked to stop end as
// stopped, runs that were abandoned too often as failed.
func (q *Queue) Reap(ctx context.Context) (int, error) {
	now := sqlio.Millis(q.now())
	n, err := q.exec(ctx, `UPDATE runs SET owner = '', lease_until = 0, finished_at = ?,
		status = CASE WHEN stop_asked = 1 THEN ? ELSE ? END,
		problem = CASE WHEN stop_asked = 1 THEN '' ELSE ? END, problem_kind = ''
		WHERE (status IN `+pending+` OR status = 'running') AND lease_until <= ? AND (stop_asked = 1 OR status = 'running' AND attempt >= `+abandonLimit+`)`,
		now, Stopped, Failed, abandoned, now)
	return n, q.wrap("end abandoned runs", err)
}

// abandonLimit is the number of tries after which a run whose process died is not claimed again. It is higher than for a
// run that fails on its own: a killed process takes all its runs with it, and at most one of them is to blame.
const abandonLimit = `4 * max_attempts`

const abandoned = "The program ended each time it worked on this. Check its log, then try again."

// ClaimEnded leases an ended run of one of kinds that is neither settled nor leased.
func (q *Queue) ClaimEnded(ctx context.Context, owner string, kinds []string, lease time.Duration) (Run, bool, error) {
	if len(kinds) == 0 {
		return Run{}, false, nil
	}
	now := q.now()
	args := []any{owner, sqlio.Millis(now.Add(lease)), Done, Failed, Stopped, sqlio.Millis(now)}
	args = append(args, sqlio.Args(kinds)...)
	r, ok, err := q.leased(ctx, `UPDATE runs SET owner = ?, lease_until = ?
		WHERE id = (SELECT id FROM runs WHERE status IN (?, ?, ?) AND settled = 0 AND lease_until <= ?
			AND kind IN (`+sqlio.Marks(len(kinds))+`) ORDER BY finished_at, id LIMIT 1`+q.lock.Unclaimed+`)`, args...)
	return r, ok, q.wrap("claim ended run", err)
}

// Extend extends owner's leases of runs by their length, in one statement, and returns the runs that owner still has.
// The others were leased to somebody else, have ended, or no longer exist.
func (q *Queue) Extend(ctx context.Context, owner string, ids []domain.RunID) (held []domain.RunID, err error) {
	held, err = sqlio.Collect(ctx, q.writer, sqlio.Column[domain.RunID],
		`UPDATE runs SET lease_until = ? + lease WHERE owner = ? AND status = ? AND id IN (`+sqlio.Marks(len(ids))+`) RETURNING id`,
		append([]any{sqlio.Millis(q.now()), owner, Running}, sqlio.Args(ids)...)...)
	return held, q.wrap("extend leases", err)
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

// end keeps the lease, because its owner settles the run next.
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
	return fmt.Sprintf("Something went wrong inside the program. See its log for details, under run %s.", id)
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

// Progressed resets the attempts of a run, in the transaction that stores its progress. A run that makes progress each
// time is never given up, however often its process is killed.
func (q *Queue) Progressed(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID) error {
	_, err := tx.ExecContext(ctx, `UPDATE runs SET attempt = 1 WHERE workspace_id = ? AND id = ? AND status = ? AND attempt > 1`, ws, id, Running)
	return q.wrap("note the progress of a run", err)
}

// Postpone returns owner's run to the queue until retry, because a server it needs is down or a cap is reached. The try
// does not count. A run that was asked to stop ends as stopped.
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

// RetryNow makes a waiting run claimable at once, whatever it waits for. It leaves other runs unchanged. NotFound means
// that the workspace has no such run.
func (q *Queue) RetryNow(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE workspace_id = ? AND id = ? AND status IN `+pending, ws, id)
	if err != nil {
		return q.wrap("retry run", err)
	}
	if n == 0 {
		_, err = q.Get(ctx, ws, id)
		return err
	}
	q.Announce()
	return nil
}

// RetryAll makes all runs of a workspace that wait for their next try claimable at once. Those that wait for a person
// keep sleeping.
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
	q.Announce()
	return nil
}

// Release returns owner's run to the queue, to be claimed at once. The try does not count.
func (q *Queue) Release(ctx context.Context, id domain.RunID, owner string) (Run, error) {
	r, err := q.leave(ctx, id, owner, `status = ?, owner = '', lease_until = 0, next_try = 0, attempt = attempt - 1`, Waiting)
	if err == nil {
		q.Announce()
	}
	return r, err
}

// leave updates a run that owner has leased.
func (q *Queue) leave(ctx context.Context, id domain.RunID, owner, set string, args ...any) (Run, error) {
	r, ok, err := q.leased(ctx, `UPDATE runs SET `+set+` WHERE id = ? AND owner = ? AND status = ?`, append(args, id, owner, Running)...)
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

// Register records that owner leases runs for a process, and the time of its heartbeat.
func (q *Queue) Register(ctx context.Context, owner string, p lease.Process) error {
	_, err := q.exec(ctx, `INSERT INTO workers (owner, host, boot, pid, started, seen_at, session) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at, session = excluded.session`,
		owner, p.Host, p.Boot, p.PID, p.Started, sqlio.Millis(q.now()), q.wire.Session())
	return q.wrap("register worker", err)
}

// Unregister forgets owner, which has no leases left.
func (q *Queue) Unregister(ctx context.Context, owner string) error {
	_, err := q.exec(ctx, `DELETE FROM workers WHERE owner = ?`, owner)
	return q.wrap("unregister worker", err)
}

// TakeOver ends the leases of owners whose process is gone, or whose session is over, forgets those owners, and returns the number
// of leases.
func (q *Queue) TakeOver(ctx context.Context, gone func(lease.Process) bool) (int, error) {
	owners, err := q.goneOwners(ctx, gone)
	if err == nil {
		owners, err = q.cutOff(ctx, owners)
	}
	if err != nil {
		return 0, q.wrap("list workers", err)
	}
	leases := 0
	for _, owner := range owners {
		n, err := q.exec(ctx, `UPDATE runs SET lease_until = 0 WHERE owner = ? AND lease_until > 0`, owner)
		if err != nil {
			return leases, q.wrap("take over leases", err)
		}
		leases += n
		if err := q.Unregister(ctx, owner); err != nil {
			return leases, err
		}
	}
	return leases, nil
}

// cutOff adds the owners to gone, on whatever machine, whose session is over.
func (q *Queue) cutOff(ctx context.Context, gone []string) ([]string, error) {
	owners := map[string][]string{} // by session
	err := sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var owner, session string
		err := rows.Scan(&owner, &session)
		owners[session] = append(owners[session], owner)
		return err
	}, `SELECT owner, session FROM workers WHERE session <> '' AND seen_at < ? ORDER BY owner`, sqlio.Millis(q.now().Add(-lease.SilentFor)))
	if err != nil || len(owners) == 0 {
		return gone, err
	}
	ended, err := q.wire.Ended(ctx, slices.Sorted(maps.Keys(owners)))
	for _, session := range ended {
		for _, owner := range owners[session] {
			gone = lists.AppendOnce(gone, owner)
		}
	}
	return gone, err
}

func (q *Queue) goneOwners(ctx context.Context, gone func(lease.Process) bool) (owners []string, err error) {
	err = sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var owner string
		var p lease.Process
		err := rows.Scan(&owner, &p.Host, &p.Boot, &p.PID, &p.Started)
		if err == nil && gone(p) {
			owners = append(owners, owner)
		}
		return err
	}, `SELECT owner, host, boot, pid, started FROM workers ORDER BY owner`)
	return owners, err
}

// A Registered process works on the queue.
type Registered struct {
	Process lease.Process
	Seen    time.Time // last heartbeat
	Leases  int       // runs that it has leased
}

// Workers lists the registered processes by owner. A killed process stays listed until another takes over its runs.
func (q *Queue) Workers(ctx context.Context) ([]Registered, error) {
	list, err := sqlio.Collect(ctx, q.reader, func(rows *sql.Rows) (r Registered, err error) {
		var seen int64
		err = rows.Scan(&r.Process.Host, &r.Process.Boot, &r.Process.PID, &r.Process.Started, &seen, &r.Leases)
		r.Seen = sqlio.Time(seen)
		return r, err
	}, `SELECT w.host, w.boot, w.pid, w.started, w.seen_at, (SELECT COUNT(*) FROM runs r WHERE r.owner = w.owner AND r.status = ?)
		FROM workers w ORDER BY w.owner`, Running)
	return list, q.wrap("list workers", err)
}

// LiveProcesses lists the processes that sent a heartbeat within the given time and are not known to be gone.
func (q *Queue) LiveProcesses(ctx context.Context, gone func(lease.Process) bool, within time.Duration) ([]lease.Process, error) {
	var alive []lease.Process
	err := sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var p lease.Process
		err := rows.Scan(&p.Host, &p.Boot, &p.PID, &p.Started)
		if err == nil && !gone(p) {
			alive = append(alive, p)
		}
		return err
	}, `SELECT host, boot, pid, started FROM workers WHERE seen_at > ? ORDER BY owner`, sqlio.Millis(q.now().Add(-within)))
	return alive, q.wrap("list workers", err)
}
