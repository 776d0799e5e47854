// Package sql keeps the threads of state graphs in the tables threads and
// checkpoints of an SQL database: SQLite or, with the same statements, Postgres.
package sql

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// Checkpointer keeps threads in a database.
type Checkpointer struct {
	writer  *sql.DB
	reader  *sql.DB
	now     domain.Clock
	explain func(error) error
	events  Events

	insert, grow, acquire, load *sql.Stmt // grow is nil if rows have one record each

	appending *sqlio.Together[appended]
}

// appended are records to append to a thread.
type appended struct {
	thread  string
	token   int64
	records []stategraph.Record
}

// Events stores the events of a thread in the transaction that writes the
// records around them.
type Events func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error

// Option configures a Checkpointer.
type Option func(*Checkpointer)

// WithExplain sets the function that translates the database's errors, such as a
// full disk, into domain kinds.
func WithExplain(explain func(error) error) Option {
	return func(c *Checkpointer) { c.explain = explain }
}

// WithEvents sets the function that stores recorded events. Without it, a run
// that records events fails at the first.
func WithEvents(keep Events) Option { return func(c *Checkpointer) { c.events = keep } }

var errNoEvents = errors.New("the run records events, and this checkpointer has nowhere to keep them")

var _ stategraph.Checkpointer = (*Checkpointer)(nil)

// New returns a checkpointer on a migrated database. The clock is used for the
// age of threads.
func New(ctx context.Context, writer, readers *sql.DB, now func() time.Time, opts ...Option) (*Checkpointer, error) {
	c := &Checkpointer{writer: writer, reader: readers, now: now, explain: func(err error) error { return err }}
	for _, o := range opts {
		o(c)
	}
	c.appending = sqlio.NewTogether(sqlio.DialectOf(writer), c.appendAll)
	for _, s := range c.statements() {
		prepared, err := s.db.PrepareContext(ctx, s.query) //nolint:sqlclosecheck // Close closes all of them
		if err != nil {
			return nil, errors.Join(c.wrap("prepare checkpoints", err), c.Close())
		}
		*s.to = prepared
	}
	return c, nil
}

// statement is prepared once, because parsing it takes as long as running it.
type statement struct {
	to    **sql.Stmt
	db    *sql.DB
	query string
}

func (c *Checkpointer) statements() []statement {
	all := []statement{
		// Locks the thread's row, so that another writer can't acquire the thread
		// between the check of the token and the commit.
		{&c.insert, c.writer, `INSERT INTO checkpoints (thread, scope, kind, step, task, version, at, name, data)
			SELECT number, ?, ?, ?, ?, ?, ?, ?, ? FROM threads WHERE id = ? AND token = ?` + sqlio.DialectOf(c.writer).Unchanged},
		{&c.acquire, c.writer, `INSERT INTO threads (id, token, touched_at) VALUES (?, 1, ?)
			ON CONFLICT (id) DO UPDATE SET token = threads.token + 1, touched_at = excluded.touched_at RETURNING token`},
		// Subqueries rather than a join, so that the index gives the order.
		{&c.load, c.reader, `WITH t AS (SELECT number FROM threads WHERE id = ?), snapshot AS (
				SELECT seq FROM checkpoints WHERE thread = (SELECT number FROM t) AND scope = ? AND kind = 'snapshot' AND step <= ?
				ORDER BY step DESC, seq DESC LIMIT 1)
			SELECT ` + columns + ` FROM checkpoints c WHERE c.thread = (SELECT number FROM t) AND c.scope = ?
				AND c.seq >= (SELECT seq FROM snapshot) AND (c.step <= ? OR c.seq = (SELECT seq FROM snapshot)) ORDER BY c.seq`},
	}
	if !sqlio.DialectOf(c.writer).Postgres { // Postgres would keep every version of a growing row until it is vacuumed
		all = append(all, statement{&c.grow, c.writer, `UPDATE checkpoints SET data = CAST(data || ? AS BLOB) WHERE seq = (
				SELECT seq FROM checkpoints WHERE thread = (SELECT number FROM threads WHERE id = ? AND token = ?) AND scope = ?
				ORDER BY seq DESC LIMIT 1)
			AND kind = '` + kindSegment + `' AND step <= ? AND length(data) <= ?`})
	}
	return all
}

// Close closes the prepared statements. The database stays open.
func (c *Checkpointer) Close() (err error) {
	for _, s := range c.statements() {
		if *s.to != nil {
			err = errors.Join(err, (*s.to).Close())
		}
	}
	return err
}

// Acquire implements stategraph.Checkpointer.
func (c *Checkpointer) Acquire(ctx context.Context, id string) (token int64, err error) {
	err = c.acquire.QueryRowContext(ctx, id, c.now().UnixMicro()).Scan(&token)
	return token, c.wrap("acquire thread", err)
}

// Append implements stategraph.Checkpointer. A single record takes one statement in its own transaction, or two if a
// segment is full. Records with events that several tasks append at the same time share a transaction.
func (c *Checkpointer) Append(ctx context.Context, id string, token int64, records []stategraph.Record) error {
	if len(records) == 1 && records[0].Kind != stategraph.RecordEvent {
		w := writer{insert: c.insert, grow: c.grow, thread: id, token: token}
		err := w.write(ctx, records)
		if err == nil {
			err = w.owned()
		}
		return c.wrap("append to thread", err)
	}
	return c.wrap("append to thread", c.appending.Write(ctx, appended{id, token, records}))
}

func (c *Checkpointer) appendAll(ctx context.Context, all []appended) error {
	return sqlio.InTx(ctx, c.writer, func(tx *sql.Tx) error {
		for _, a := range all {
			w := &writer{insert: tx.StmtContext(ctx, c.insert), thread: a.thread, token: a.token}
			if c.grow != nil {
				w.grow = tx.StmtContext(ctx, c.grow)
			}
			if err := c.appendTx(ctx, tx, w, a.records); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *Checkpointer) appendTx(ctx context.Context, tx *sql.Tx, w *writer, records []stategraph.Record) error {
	var events []stategraph.Event
	kept := make([]stategraph.Record, 0, len(records))
	for _, r := range records {
		if r.Kind == stategraph.RecordEvent {
			events = append(events, *r.Event)
		} else {
			kept = append(kept, r)
		}
	}
	if err := w.write(ctx, kept); err != nil {
		return err
	}
	if len(kept) == 0 { // no insert checks the token
		if err := c.checkToken(ctx, tx, w.thread, w.token); err != nil {
			return err
		}
	}
	if len(events) > 0 {
		if c.events == nil {
			return errNoEvents
		}
		if err := c.events(ctx, tx, w.thread, events); err != nil {
			return err
		}
	}
	return w.owned()
}

func (c *Checkpointer) checkToken(ctx context.Context, tx *sql.Tx, id string, token int64) error {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM threads WHERE id = ? AND token = ?`+sqlio.DialectOf(c.writer).Unchanged, id, token).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return stategraph.ErrThreadTaken
	}
	return err
}

const columns = `c.scope, c.kind, c.step, c.task, c.version, c.at, c.name, c.data`

// Load implements stategraph.Checkpointer.
func (c *Checkpointer) Load(ctx context.Context, id, scope string, from, to int) iter.Seq2[stategraph.Record, error] {
	return func(yield func(stategraph.Record, error) bool) {
		rows, err := c.load.QueryContext(ctx, id, scope, from, scope, to)
		c.read(rows, err, to, yield)
	}
}

// Questions implements stategraph.Checkpointer.
func (c *Checkpointer) Questions(ctx context.Context, id string) (found []stategraph.Record, err error) {
	rows, err := c.reader.QueryContext(ctx, `SELECT `+columns+` FROM checkpoints c JOIN threads t ON t.number = c.thread
		WHERE t.id = ? AND c.kind IN ('interrupt', 'answer') ORDER BY c.seq`, id)
	c.read(rows, err, 0, func(r stategraph.Record, failed error) bool {
		r.Data, err = bytes.Clone(r.Data), failed
		found = append(found, r)
		return true
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// read yields the records of a query, leaving out those of a segment after step
// to, and an error last.
func (c *Checkpointer) read(rows *sql.Rows, err error, to int, yield func(stategraph.Record, error) bool) {
	if err != nil {
		yield(stategraph.Record{}, c.wrap("load thread", err))
		return
	}
	defer rows.Close()
	var r row
	for rows.Next() {
		err := rows.Scan(&r.scope, &r.kind, &r.step, &r.task, &r.version, &r.at, &r.name, &r.data)
		if err != nil {
			yield(stategraph.Record{}, c.wrap("load thread", err))
			return
		}
		if !r.each(to, yield) {
			return
		}
	}
	if err := rows.Err(); err != nil {
		yield(stategraph.Record{}, c.wrap("load thread", err))
	}
}

// Delete implements stategraph.Checkpointer.
func (c *Checkpointer) Delete(ctx context.Context, id string) error {
	_, err := c.writer.ExecContext(ctx, `DELETE FROM threads WHERE id = ?`, id)
	return c.wrap("delete thread", err)
}

// Prune implements stategraph.Checkpointer. A segment counts by the time of its
// first record. What End keeps is left to Sweep.
func (c *Checkpointer) Prune(ctx context.Context, before time.Time) (int, error) {
	at := before.UnixMicro()
	done, err := c.writer.ExecContext(ctx, `DELETE FROM threads WHERE touched_at < ? AND ended_at = 0
		AND NOT EXISTS (SELECT 1 FROM checkpoints w WHERE w.thread = threads.number AND w.at >= ?)
		AND NOT EXISTS (SELECT 1 FROM checkpoints q WHERE q.thread = threads.number AND q.kind = 'interrupt' AND NOT EXISTS (
			SELECT 1 FROM checkpoints a WHERE a.thread = q.thread AND a.kind = 'answer' AND a.name = q.name))`, at, at)
	if err != nil {
		return 0, c.wrap("prune threads", err)
	}
	n, err := done.RowsAffected()
	return int(n), c.wrap("prune threads", err)
}

// wrap names the operation that failed.
func (c *Checkpointer) wrap(op string, err error) error {
	if err == nil || errors.Is(err, stategraph.ErrThreadTaken) {
		return err
	}
	return fmt.Errorf("%s: %w", op, c.explain(err))
}
