package postgres

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// tx is a transaction that saves round trips. A statement that only writes is held back and sent with the next query,
// with the commit, or when somebody asks how many rows it changed. Its error is the error of the statement that it is
// sent with. The transaction begins on the server with the first statement.
type tx struct {
	conn *conn
	ctx  context.Context // for the transaction
	next *pgx.Batch      // waiting statements
	size int             // of its texts, in bytes
	sent bool            // the server has begun it
	err  error           // of a statement; nothing else is sent after it
}

// What waits at most, and how long a rollback may take.
const (
	mostBytes       = 1 << 20 // of texts
	mostStatements  = 256
	rollbackTimeout = 5 * time.Second
)

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o != (driver.TxOptions{}) {
		return c.Conn.BeginTx(ctx, o)
	}
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	c.tx = &tx{conn: c, ctx: ctx, next: new(pgx.Batch)}
	c.tx.next.Queue("begin")
	return c.tx, nil
}

// exec has a statement wait.
func (t *tx) exec(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	queued, err := t.add(query, args)
	if err != nil {
		return nil, err
	}
	r := &result{tx: t, ctx: ctx}
	queued.Exec(func(tag pgconn.CommandTag) error {
		r.rows, r.known = tag.RowsAffected(), true
		return nil
	})
	if t.size > mostBytes || t.next.Len() >= mostStatements {
		return r, t.flush(ctx)
	}
	return r, nil
}

// query runs a query after what waits.
func (t *tx) query(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	queued, err := t.add(query, args)
	if err != nil {
		return nil, err
	}
	found := new(rows)
	queued.Query(found.read)
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return found, nil
}

// add holds back a statement with the present values of its arguments.
func (t *tx) add(query string, args []driver.NamedValue) (*pgx.QueuedQuery, error) {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
		switch v := a.Value.(type) {
		case driver.Valuer:
			is, err := v.Value()
			if err != nil {
				return nil, err
			}
			values[i] = is
		case []byte:
			values[i] = bytes.Clone(v)
			t.size += len(v)
		case string:
			t.size += len(v)
		}
	}
	return t.next.Queue(query, values...), nil
}

// waits reports whether anything waits. No transaction has nothing.
func (t *tx) waits() bool { return t != nil && t.next.Len() > 0 }

// flush sends what waits.
func (t *tx) flush(ctx context.Context) error {
	if t == nil || t.err != nil || t.next.Len() == 0 {
		return t.failed()
	}
	batch := t.next
	t.next, t.size, t.sent = new(pgx.Batch), 0, true
	t.err = t.conn.Conn.Conn().SendBatch(ctx, batch).Close()
	return t.err
}

func (t *tx) failed() error {
	if t == nil {
		return nil
	}
	return t.err
}

// Commit implements driver.Tx.
func (t *tx) Commit() error {
	t.conn.tx = nil
	if !t.sent && t.next.Len() == 1 {
		return nil // nothing was done
	}
	t.next.Queue("commit").Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != "COMMIT" {
			return pgx.ErrTxCommitRollback
		}
		return nil
	})
	err := t.flush(t.ctx)
	if err != nil {
		_ = t.rollback() // the connection may be gone
	}
	return err
}

// Rollback implements driver.Tx.
func (t *tx) Rollback() error {
	t.conn.tx = nil
	if !t.sent {
		return nil
	}
	return t.rollback()
}

func (t *tx) rollback() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), rollbackTimeout)
	defer cancel()
	_, err := t.conn.Conn.Conn().Exec(ctx, "rollback")
	return err
}

// result is the result of a statement that may be held back.
type result struct {
	tx    *tx
	ctx   context.Context // of the statement
	rows  int64
	known bool
}

// RowsAffected implements driver.Result.
func (r *result) RowsAffected() (int64, error) {
	if !r.known {
		if err := r.tx.flush(r.ctx); err != nil {
			return 0, err
		}
	}
	return r.rows, nil
}

// LastInsertId implements driver.Result.
func (r *result) LastInsertId() (int64, error) {
	return 0, errors.New("Postgres tells no id of a row that was added")
}

// rows are all rows of a query.
type rows struct {
	columns []string
	all     [][]driver.Value
}

func (r *rows) read(from pgx.Rows) error {
	for _, f := range from.FieldDescriptions() {
		r.columns = append(r.columns, f.Name)
	}
	for from.Next() {
		values, err := from.Values()
		if err != nil {
			return err
		}
		row := make([]driver.Value, len(values))
		for i, v := range values {
			if row[i], err = column(v); err != nil {
				return err
			}
		}
		r.all = append(r.all, row)
	}
	return from.Err()
}

// column returns a value of pgx as one of database/sql.
func column(v any) (driver.Value, error) {
	switch v := v.(type) {
	case int16:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case float32:
		return float64(v), nil
	case driver.Valuer:
		return v.Value()
	}
	if !driver.IsValue(v) {
		return nil, fmt.Errorf("a column holds %T", v)
	}
	return v, nil
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string { return r.columns }

// Close implements driver.Rows.
func (r *rows) Close() error { return nil }

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if len(r.all) == 0 {
		return io.EOF
	}
	copy(dest, r.all[0])
	r.all = r.all[1:]
	return nil
}

// stmt is a statement that was prepared.
type stmt struct {
	conn  *conn
	query string
}

var (
	_ driver.StmtExecContext  = stmt{}
	_ driver.StmtQueryContext = stmt{}
)

// Close implements driver.Stmt.
func (s stmt) Close() error { return nil }

// NumInput implements driver.Stmt.
func (s stmt) NumInput() int { return -1 }

// Exec implements driver.Stmt.
func (s stmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query implements driver.Stmt.
func (s stmt) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

// ExecContext implements driver.StmtExecContext.
func (s stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

// QueryContext implements driver.StmtQueryContext.
func (s stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}
