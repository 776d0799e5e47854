package job

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/run/lease"
)

// Register records that owner leases runs for a process, and the time of its heartbeat.
func (q *Queue) Register(ctx context.Context, owner string, p lease.Process) error {
	_, err := q.exec(ctx, `INSERT INTO workers (owner, host, boot, pid, started, seen_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at`, owner, p.Host, p.Boot, p.PID, p.Started, sqlio.Millis(q.now()))
	return q.wrap("register worker", err)
}

// Unregister forgets owner, which has no leases left.
func (q *Queue) Unregister(ctx context.Context, owner string) error {
	_, err := q.exec(ctx, `DELETE FROM workers WHERE owner = ?`, owner)
	return q.wrap("unregister worker", err)
}

// TakeOver ends the leases of owners whose process is gone, forgets those owners, and returns the number of leases.
func (q *Queue) TakeOver(ctx context.Context, gone func(lease.Process) bool) (int, error) {
	owners, err := q.goneOwners(ctx, gone)
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
