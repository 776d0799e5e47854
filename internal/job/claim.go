package job

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

// Claim leases the next run of one of kinds to owner and returns it; the flag
// is false when there is none. Runs with a higher priority go first, then
// older ones. A run whose lease has ended is claimed like one that waits,
// unless a stop was asked for or it was abandoned too often: see Reap.
func (q *Queue) Claim(ctx context.Context, owner string, kinds []string, lease time.Duration) (Run, bool, error) {
	if len(kinds) == 0 {
		return Run{}, false, nil
	}
	now := q.now()
	args := []any{Running, owner, lease.Milliseconds(), sqlio.Millis(now.Add(lease)), sqlio.Millis(now)}
	args = append(args, sqlio.Args(kinds)...)
	args = append(args, Waiting, sqlio.Millis(now), Running, sqlio.Millis(now))
	r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET status = ?, owner = ?, lease = ?, lease_until = ?, attempt = attempt + 1,
		started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END
		WHERE id = (SELECT id FROM runs WHERE kind IN (`+sqlio.Marks(len(kinds))+`)
			AND stop_asked = 0
			AND (status = ? AND next_try <= ? OR status = ? AND lease_until <= ? AND attempt < `+abandonable+`)
			ORDER BY priority DESC, created_at, id LIMIT 1`+q.lock.Unclaimed+`)
		RETURNING `+columns, args...)
	return r, ok, q.wrap("claim run", err)
}

// Reap ends the runs that nobody owns any more and nobody may claim: those
// that were asked to stop are stopped, those that were abandoned too often
// have failed. It returns how many.
func (q *Queue) Reap(ctx context.Context) (int, error) {
	now := sqlio.Millis(q.now())
	n, err := q.exec(ctx, `UPDATE runs SET owner = '', lease_until = 0, finished_at = ?,
		status = CASE WHEN stop_asked = 1 THEN ? ELSE ? END,
		problem = CASE WHEN stop_asked = 1 THEN '' ELSE ? END
		WHERE status IN (?, ?) AND lease_until <= ? AND (stop_asked = 1 OR status = ? AND attempt >= `+abandonable+`)`,
		now, Stopped, Failed, abandoned, Waiting, Running, now, Running)
	return n, q.wrap("end abandoned runs", err)
}

// abandonable is after how many tries a run is not claimed again when its
// process ended in the middle of the last. They are more than a run may fail
// by itself: a process that is killed takes all its runs with it, and at most
// one of them can be the reason.
const abandonable = `4 * max_attempts`

// abandoned is the problem of a run whose process ended each time.
const abandoned = "The program ended each time while it was at work on this. Look into its log, then try again."

// ClaimEnded leases a run of one of kinds that has ended and is not settled
// yet, and that nobody is about to settle.
func (q *Queue) ClaimEnded(ctx context.Context, owner string, kinds []string, lease time.Duration) (Run, bool, error) {
	if len(kinds) == 0 {
		return Run{}, false, nil
	}
	now := q.now()
	args := []any{owner, sqlio.Millis(now.Add(lease)), Done, Failed, Stopped, sqlio.Millis(now)}
	args = append(args, sqlio.Args(kinds)...)
	r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET owner = ?, lease_until = ?
		WHERE id = (SELECT id FROM runs WHERE status IN (?, ?, ?) AND settled = 0 AND lease_until <= ?
			AND kind IN (`+sqlio.Marks(len(kinds))+`) ORDER BY finished_at, id LIMIT 1`+q.lock.Unclaimed+`)
		RETURNING `+columns, args...)
	return r, ok, q.wrap("claim ended run", err)
}
