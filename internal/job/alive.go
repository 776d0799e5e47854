package job

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

// Registered is a process as it registered to work on the queue.
type Registered struct {
	Process Process
	Seen    time.Time // its last heartbeat
	Leases  int       // runs that it holds
}

// Workers lists the processes that registered and have not left, by owner.
// One that was killed stays listed until another takes its runs over.
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

// Alive lists the processes that work on the queue: those that were seen
// within a time and are not known to be gone.
func (q *Queue) Alive(ctx context.Context, gone func(Process) bool, within time.Duration) ([]Process, error) {
	var alive []Process
	err := sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var p Process
		err := rows.Scan(&p.Host, &p.Boot, &p.PID, &p.Started)
		if err == nil && !gone(p) {
			alive = append(alive, p)
		}
		return err
	}, `SELECT host, boot, pid, started FROM workers WHERE seen_at > ? ORDER BY owner`, sqlio.Millis(q.now().Add(-within)))
	return alive, q.wrap("list workers", err)
}
