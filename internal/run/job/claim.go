package job

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Claim leases the next run of one of kinds to owner and reports whether there is one. Runs with a higher priority go
// first. Of equal ones each person has one run in turn, the oldest first. A run whose lease has expired is claimed like a waiting one, except those that Reap ends.
func (q *Queue) Claim(ctx context.Context, owner string, kinds []string, lease time.Duration) (Run, bool, error) {
	if len(kinds) == 0 {
		return Run{}, false, nil
	}
	now := q.now()
	args := append(claimed(owner, lease, now), sqlio.Args(kinds)...)
	args = append(args, sqlio.Millis(now), sqlio.Millis(now), sqlio.Millis(now))
	r, ok, err := q.one(ctx, q.writer, claims+`
		WHERE id = (SELECT id FROM runs WHERE kind IN (`+sqlio.Marks(len(kinds))+`)
			AND stop_asked = 0
			AND (status = 'waiting' AND next_try <= ? OR status = 'capped' AND next_try <= ? OR status = 'running' AND lease_until <= ? AND attempt < `+abandonLimit+`)
			ORDER BY priority DESC, lap, created_at, id LIMIT 1`+q.lock.Unclaimed+`)
		RETURNING `+columns, args...)
	return r, ok, q.wrap("claim run", err)
}

// Claimable returns the kinds, among the given ones, that have a run to claim.
func (q *Queue) Claimable(ctx context.Context, kinds []string) ([]string, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	now := sqlio.Millis(q.now())
	args := append(sqlio.Args(kinds), now, now, now)
	found, err := sqlio.Collect(ctx, q.reader, sqlio.Column[string], `WITH k (kind) AS (VALUES `+strings.TrimSuffix(strings.Repeat("(CAST(? AS TEXT)),", len(kinds)), ",")+`)
		SELECT kind FROM k WHERE EXISTS (SELECT 1 FROM runs r WHERE r.kind = k.kind AND r.status = 'waiting' AND r.stop_asked = 0 AND r.next_try <= ?)
			OR EXISTS (SELECT 1 FROM runs r WHERE r.kind = k.kind AND r.status = 'capped' AND r.stop_asked = 0 AND r.next_try <= ?)
			OR EXISTS (SELECT 1 FROM runs r WHERE r.kind = k.kind AND r.status = 'running' AND r.stop_asked = 0 AND r.lease_until <= ? AND r.attempt < `+abandonLimit+`)
		ORDER BY kind`, args...)
	return found, q.wrap("look for runs", err)
}

// claims leases runs, with the arguments claimed.
const claims = `UPDATE runs SET status = ?, owner = ?, lease = ?, lease_until = ?, attempt = attempt + 1,
	started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END`

func claimed(owner string, lease time.Duration, now time.Time) []any {
	return []any{Running, owner, lease.Milliseconds(), sqlio.Millis(now.Add(lease)), sqlio.Millis(now)}
}

// ClaimOne leases one waiting run to owner and reports whether it could.
func (q *Queue) ClaimOne(ctx context.Context, id domain.RunID, owner string, lease time.Duration) (Run, bool, error) {
	now := q.now()
	r, ok, err := q.one(ctx, q.writer, claims+` WHERE id = ? AND stop_asked = 0 AND status IN ('waiting', 'capped') AND next_try <= ? RETURNING `+columns,
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

// abandonLimit is the number of tries after which a run is not claimed again when its process died. It is higher than
// for a run that fails by itself: a killed process takes all its runs with it, and at most one of them is to blame.
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
	r, ok, err := q.one(ctx, q.writer, `UPDATE runs SET owner = ?, lease_until = ?
		WHERE id = (SELECT id FROM runs WHERE status IN (?, ?, ?) AND settled = 0 AND lease_until <= ?
			AND kind IN (`+sqlio.Marks(len(kinds))+`) ORDER BY finished_at, id LIMIT 1`+q.lock.Unclaimed+`)
		RETURNING `+columns, args...)
	return r, ok, q.wrap("claim ended run", err)
}
