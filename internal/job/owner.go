package job

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/sqlio"
)

// Register notes that owner leases runs on behalf of a process, and that it
// was seen just now.
func (q *Queue) Register(ctx context.Context, owner string, p Process) error {
	_, err := q.exec(ctx, `INSERT INTO workers (owner, host, boot, pid, started, seen_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at`, owner, p.Host, p.Boot, p.PID, p.Started, sqlio.Millis(q.now()))
	return q.wrap("register worker", err)
}

// Unregister forgets owner, which leases nothing any more.
func (q *Queue) Unregister(ctx context.Context, owner string) error {
	_, err := q.exec(ctx, `DELETE FROM workers WHERE owner = ?`, owner)
	return q.wrap("unregister worker", err)
}

// TakeOver ends at once the leases of the owners whose process is gone and
// forgets those owners. It returns how many leases it ended.
func (q *Queue) TakeOver(ctx context.Context, gone func(Process) bool) (int, error) {
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

func (q *Queue) goneOwners(ctx context.Context, gone func(Process) bool) (owners []string, err error) {
	err = sqlio.Each(ctx, q.reader, func(rows *sql.Rows) error {
		var owner string
		var p Process
		err := rows.Scan(&owner, &p.Host, &p.Boot, &p.PID, &p.Started)
		if err == nil && gone(p) {
			owners = append(owners, owner)
		}
		return err
	}, `SELECT owner, host, boot, pid, started FROM workers ORDER BY owner`)
	return owners, err
}
