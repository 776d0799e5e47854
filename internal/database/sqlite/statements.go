package sqlite

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"modernc.org/sqlite"
)

// maxStatements is how many prepared statements a connection keeps. One takes a
// few kilobytes.
const maxStatements = 128

// open returns a pool of connections that keep their statements prepared:
// parsing one takes as long as running it, and the same few are run over and
// over.
func open(c connector) *sql.DB { return sql.OpenDB(c) }

// connector opens connections to a file.
type connector struct {
	dsn   string
	grows string // path of the file that determines the size of the page cache; "" for SQLite's default
}

func (c connector) Driver() driver.Driver { return new(sqlite.Driver) }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, err
	}
	inner, ok := opened.(connection)
	if !ok {
		return nil, errors.Join(errors.New("the driver of SQLite lacks a method"), opened.Close())
	}
	return &conn{connection: inner, idle: map[string]*list.Element{}, order: list.New(), cache: cache{path: c.grows}}, nil
}

// connection lists the methods of the driver's connections.
type connection interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// statement is an idle prepared statement.
type statement struct {
	query string
	stmt  driver.Stmt
}

// conn is a connection with the statements that it has run last. One caller at a
// time uses it, as database/sql promises.
type conn struct {
	connection
	idle  map[string]*list.Element // of statement, by query
	order *list.List               // most recently used first
	cache cache
}

// QueryContext runs a query. Its statement is kept when its rows are closed. It is not interrupted before its first row,
// as no statement is: to be able to would take a goroutine for each, and one of the writer's that is interrupted undoes its
// whole transaction.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	st, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	found, err := st.(driver.StmtQueryContext).QueryContext(context.WithoutCancel(ctx), args)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &rows{Rows: found, conn: c, query: query, stmt: st}, nil
}

// ExecContext runs a statement.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !keepable(query) {
		return c.connection.ExecContext(ctx, query, args)
	}
	st, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	done, err := st.(driver.StmtExecContext).ExecContext(context.WithoutCancel(ctx), args)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return done, c.keep(query, st)
}

// BeginTx begins a transaction. The statements that begin and end it stay prepared, too.
func (c *conn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	begin := "BEGIN"
	if c.cache.path != "" {
		begin = "BEGIN IMMEDIATE"
		if err := c.fitCache(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := c.ExecContext(ctx, begin, nil); err != nil {
		return nil, err
	}
	return transaction{c}, nil
}

// transaction is one that has begun.
type transaction struct{ *conn }

// Commit commits the transaction, or rolls it back where that fails.
func (t transaction) Commit() error {
	_, err := t.ExecContext(context.Background(), "COMMIT", nil)
	if err != nil { // SQLite may have rolled it back already
		_ = t.Rollback()
	}
	return err
}

// Rollback implements driver.Tx.
func (t transaction) Rollback() error {
	_, err := t.ExecContext(context.Background(), "ROLLBACK", nil)
	return err
}

// keepable reports whether a statement only reads or writes rows, or begins or ends a
// transaction. Others may act while they are prepared, or be scripts.
func keepable(query string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\r\n"), " ")
	switch strings.TrimSpace(word) {
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK":
		return true
	}
	return false
}

// take returns a prepared statement, which the caller alone uses.
func (c *conn) take(ctx context.Context, query string) (driver.Stmt, error) {
	at, ok := c.idle[query]
	if !ok {
		return c.PrepareContext(ctx, query)
	}
	delete(c.idle, query)
	return c.order.Remove(at).(statement).stmt, nil
}

// keep gives a statement back, and closes it if it is not to be kept, or the one
// that was not used for the longest time.
func (c *conn) keep(query string, st driver.Stmt) error {
	if _, another := c.idle[query]; another || !keepable(query) {
		return st.Close()
	}
	c.idle[query] = c.order.PushFront(statement{query, st})
	if c.order.Len() <= maxStatements {
		return nil
	}
	last := c.order.Remove(c.order.Back()).(statement)
	delete(c.idle, last.query)
	return last.stmt.Close()
}

// Close closes the connection with its statements.
func (c *conn) Close() (err error) {
	for at := c.order.Front(); at != nil; at = at.Next() {
		err = errors.Join(err, at.Value.(statement).stmt.Close())
	}
	clear(c.idle)
	c.order.Init()
	return errors.Join(err, c.connection.Close())
}

// rows are the rows of a query, whose statement is given back once.
type rows struct {
	driver.Rows
	conn  *conn
	query string
	stmt  driver.Stmt // nil once given back
}

func (r *rows) Close() error {
	err, st := r.Rows.Close(), r.stmt
	r.stmt = nil
	switch {
	case st == nil:
		return err
	case err != nil:
		return errors.Join(err, st.Close())
	}
	return r.conn.keep(r.query, st)
}
