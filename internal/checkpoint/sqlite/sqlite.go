// Package sqlite keeps the threads of state graphs in the tables threads and
// checkpoints of an SQL database: SQLite, or with the same statements Postgres.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/stategraph"
)

// Checkpointer keeps threads in a database.
type Checkpointer struct {
	writer  *sql.DB
	reader  *sql.DB
	now     func() time.Time
	explain func(error) error
	events  Events

	insert *sql.Stmt
}

// Events stores events of a thread in the transaction of the records around
// them.
type Events func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error

// Option changes how threads are kept.
type Option func(*Checkpointer)

// WithExplain sets the database's translation of its own errors, a full disk
// for instance, into domain kinds.
func WithExplain(explain func(error) error) Option {
	return func(c *Checkpointer) { c.explain = explain }
}

// WithEvents hands what runs record of themselves to keep. Without it, a run
// that records events fails at the first.
func WithEvents(keep Events) Option { return func(c *Checkpointer) { c.events = keep } }

// errNoEvents is better than to lose what a run tells of itself.
var errNoEvents = errors.New("the run records events, and this checkpointer was given nowhere to keep them")

var _ stategraph.Checkpointer = (*Checkpointer)(nil)

// New keeps threads in a migrated database.
func New(ctx context.Context, writer, readers *sql.DB, now func() time.Time, opts ...Option) (*Checkpointer, error) {
	c := &Checkpointer{writer: writer, reader: readers, now: now, explain: func(err error) error { return err }}
	for _, o := range opts {
		o(c)
	}
	var err error
	// The thread's row is locked, so that nobody takes the thread over between
	// the look at the token and the record's appearance.
	c.insert, err = writer.PrepareContext(ctx, `INSERT INTO checkpoints (thread, scope, kind, step, task, version, at, name, data)
		SELECT number, ?, ?, ?, ?, ?, ?, ?, ? FROM threads WHERE id = ? AND token = ?`+sqlio.DialectOf(writer).Unchanged)
	return c, c.wrap("prepare checkpoints", err)
}

// Close lets go of the prepared statement; the database stays open.
func (c *Checkpointer) Close() error { return c.insert.Close() }

// Acquire is stategraph.Checkpointer.Acquire.
func (c *Checkpointer) Acquire(ctx context.Context, id string, lease time.Duration, force bool) (token int64, err error) {
	now := c.now()
	busyFrom := now.UnixMicro()
	if force {
		busyFrom = 1<<63 - 1
	}
	err = c.writer.QueryRowContext(ctx, `INSERT INTO threads (id, token, lease_until, touched_at) VALUES (?, 1, ?, ?)
		ON CONFLICT (id) DO UPDATE SET token = threads.token + 1, lease_until = excluded.lease_until
		WHERE threads.lease_until <= ? RETURNING token`,
		id, now.Add(lease).UnixMicro(), now.UnixMicro(), busyFrom).Scan(&token)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, stategraph.ErrThreadBusy
	}
	return token, c.wrap("acquire thread", err)
}

// Renew is stategraph.Checkpointer.Renew.
func (c *Checkpointer) Renew(ctx context.Context, id string, token int64, lease time.Duration) error {
	changed, err := c.setLease(ctx, id, token, c.now().Add(lease))
	if err == nil && !changed {
		return stategraph.ErrLeaseLost
	}
	return err
}

// Release is stategraph.Checkpointer.Release.
func (c *Checkpointer) Release(ctx context.Context, id string, token int64) error {
	_, err := c.setLease(ctx, id, token, time.UnixMicro(0))
	return err
}

func (c *Checkpointer) setLease(ctx context.Context, id string, token int64, until time.Time) (bool, error) {
	done, err := c.writer.ExecContext(ctx, `UPDATE threads SET lease_until = ?, touched_at = ? WHERE id = ? AND token = ?`,
		until.UnixMicro(), c.now().UnixMicro(), id, token)
	if err != nil {
		return false, c.wrap("lease thread", err)
	}
	n, err := done.RowsAffected()
	return n > 0, c.wrap("lease thread", err)
}

// Append is stategraph.Checkpointer.Append. One record is one statement, which
// is a transaction of its own.
func (c *Checkpointer) Append(ctx context.Context, id string, token int64, records []stategraph.Record) error {
	if len(records) == 1 && records[0].Kind != stategraph.RecordEvent {
		return c.wrap("append to thread", c.add(ctx, c.insert, id, token, &records[0]))
	}
	return c.wrap("append to thread", sqlio.InTx(ctx, c.writer, func(tx *sql.Tx) error {
		return c.addAll(ctx, tx, id, token, records)
	}))
}

// addAll adds records, and hands events to who keeps them.
func (c *Checkpointer) addAll(ctx context.Context, tx *sql.Tx, id string, token int64, records []stategraph.Record) error {
	insert := tx.StmtContext(ctx, c.insert)
	var events []stategraph.Event
	for i := range records {
		if records[i].Kind == stategraph.RecordEvent {
			events = append(events, *records[i].Event)
			continue
		}
		if err := c.add(ctx, insert, id, token, &records[i]); err != nil {
			return err
		}
	}
	if len(events) == len(records) { // no record has asked
		if err := c.held(ctx, tx, id, token); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	if c.events == nil {
		return errNoEvents
	}
	return c.events(ctx, tx, id, events)
}

// held is an error when the token does not stand for the thread's writer.
func (c *Checkpointer) held(ctx context.Context, tx *sql.Tx, id string, token int64) error {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM threads WHERE id = ? AND token = ?`+sqlio.DialectOf(c.writer).Unchanged, id, token).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return stategraph.ErrLeaseLost
	}
	return err
}

func (c *Checkpointer) add(ctx context.Context, insert *sql.Stmt, id string, token int64, r *stategraph.Record) error {
	data := r.Data
	if data == nil {
		data = []byte{}
	}
	done, err := insert.ExecContext(ctx, r.Scope, string(r.Kind), r.Step, r.Task, r.Version, r.At.UnixMicro(), r.ID, data, id, token)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, stategraph.ErrLeaseLost)
	}
	return nil
}

const columns = `c.scope, c.kind, c.step, c.task, c.version, c.at, c.name, c.data`

// Load is stategraph.Checkpointer.Load.
func (c *Checkpointer) Load(ctx context.Context, id, scope string, from, to int) ([]stategraph.Record, error) {
	var thread, first int64
	err := c.reader.QueryRowContext(ctx, `SELECT c.thread, c.seq FROM checkpoints c JOIN threads t ON t.number = c.thread
		WHERE t.id = ? AND c.scope = ? AND c.kind = 'snapshot' AND c.step <= ? ORDER BY c.step DESC, c.seq DESC LIMIT 1`,
		id, scope, from).Scan(&thread, &first)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, c.wrap("load thread", err)
	}
	return c.records(ctx, `SELECT `+columns+` FROM checkpoints c
		WHERE c.thread = ? AND c.scope = ? AND c.seq >= ? AND (c.step <= ? OR c.seq = ?) ORDER BY c.seq`,
		thread, scope, first, to, first)
}

// Questions is stategraph.Checkpointer.Questions.
func (c *Checkpointer) Questions(ctx context.Context, id string) ([]stategraph.Record, error) {
	return c.records(ctx, `SELECT `+columns+` FROM checkpoints c JOIN threads t ON t.number = c.thread
		WHERE t.id = ? AND c.kind IN ('interrupt', 'answer') ORDER BY c.seq`, id)
}

func (c *Checkpointer) records(ctx context.Context, query string, args ...any) (found []stategraph.Record, err error) {
	rows, err := c.reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, c.wrap("load thread", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var r row
	for rows.Next() {
		if err := rows.Scan(&r.scope, &r.kind, &r.step, &r.task, &r.version, &r.at, &r.name, &r.data); err != nil {
			return nil, c.wrap("load thread", err)
		}
		found = append(found, r.record())
	}
	return found, c.wrap("load thread", rows.Err())
}

// Delete is stategraph.Checkpointer.Delete.
func (c *Checkpointer) Delete(ctx context.Context, id string) error {
	_, err := c.writer.ExecContext(ctx, `DELETE FROM threads WHERE id = ?`, id)
	return c.wrap("delete thread", err)
}

// Prune is stategraph.Checkpointer.Prune. How old a thread is, is known by its
// lease, which its last writer gave back or lost.
func (c *Checkpointer) Prune(ctx context.Context, before time.Time) (int, error) {
	done, err := c.writer.ExecContext(ctx, `DELETE FROM threads WHERE touched_at < ? AND lease_until <= ? AND NOT EXISTS (
		SELECT 1 FROM checkpoints q WHERE q.thread = threads.number AND q.kind = 'interrupt' AND NOT EXISTS (
			SELECT 1 FROM checkpoints a WHERE a.thread = q.thread AND a.kind = 'answer' AND a.name = q.name))`,
		before.UnixMicro(), c.now().UnixMicro())
	if err != nil {
		return 0, c.wrap("prune threads", err)
	}
	n, err := done.RowsAffected()
	return int(n), c.wrap("prune threads", err)
}

// wrap names the operation that failed.
func (c *Checkpointer) wrap(op string, err error) error {
	if err == nil || errors.Is(err, stategraph.ErrLeaseLost) {
		return err
	}
	return fmt.Errorf("%s: %w", op, c.explain(err))
}
