package sql

import (
	"context"
	"database/sql"
	"time"
)

// Kept is the space that the threads of ended runs take.
type Kept struct {
	Threads int
	Bytes   int64 // of their records
}

// End records in a transaction that the run on a thread has ended: the thread is kept until [Checkpointer.Sweep] deletes
// it. No thread is no error.
func (c *Checkpointer) End(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `UPDATE threads SET ended_at = ?,
		bytes = (SELECT COALESCE(SUM(LENGTH(data)), 0) FROM checkpoints WHERE thread = threads.number) WHERE id = ?`, c.now().UnixMicro(), id)
	return c.wrap("end thread", err)
}

// Kept returns the number and size of the threads that are kept.
func (c *Checkpointer) Kept(ctx context.Context) (k Kept, err error) {
	err = c.reader.QueryRowContext(ctx, `SELECT COUNT(*), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM threads WHERE ended_at > 0`).Scan(&k.Threads, &k.Bytes)
	return k, c.wrap("count threads", err)
}

// sweepStep is the number of threads that one statement deletes, so that no writer waits long.
const sweepStep = 50

// Sweep deletes the threads of runs that ended before the given time, and then
// the oldest ones until the rest takes at most the given number of bytes. It
// returns how many it has deleted.
func (c *Checkpointer) Sweep(ctx context.Context, before time.Time, most int64) (n int, err error) {
	for {
		step, err := c.deleteSome(ctx, `ended_at > 0 AND ended_at < ?`, before.UnixMicro())
		n += step
		if err != nil || step == 0 {
			break
		}
	}
	for err == nil {
		var k Kept
		if k, err = c.Kept(ctx); err != nil || k.Bytes <= most {
			return n, err
		}
		var step int
		step, err = c.deleteSome(ctx, `ended_at > 0 AND number IN (SELECT number FROM (SELECT number,
			SUM(bytes) OVER (ORDER BY ended_at, number) - bytes AS older FROM threads WHERE ended_at > 0) AS o WHERE older < ?)`, k.Bytes-most)
		if n += step; step == 0 {
			return n, err
		}
	}
	return n, err
}

// deleteSome deletes the oldest threads that meet a condition.
func (c *Checkpointer) deleteSome(ctx context.Context, condition string, arg any) (int, error) {
	done, err := c.writer.ExecContext(ctx, `DELETE FROM threads WHERE number IN (
		SELECT number FROM threads WHERE `+condition+` ORDER BY ended_at, number LIMIT ?)`, arg, sweepStep)
	if err != nil {
		return 0, c.wrap("sweep threads", err)
	}
	n, err := done.RowsAffected()
	return int(n), c.wrap("sweep threads", err)
}
