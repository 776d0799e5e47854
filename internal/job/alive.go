package job

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

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
