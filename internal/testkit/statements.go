package testkit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"slices"
	"sync"
	"testing"
)

// Statements records the queries that reach a database through the connections
// opened by its reader or its writer, which adds a BEGIN for each transaction.
type Statements struct {
	mu   sync.Mutex
	all  []string
	left int // until then is called
	then func()
}

// Take returns the statements since the last call.
func (s *Statements) Take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := slices.Clone(s.all)
	s.all = nil
	return taken
}

// At calls f once, before the nth statement from now is sent.
func (s *Statements) At(n int, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.then = n, f
}

func (s *Statements) add(query string) {
	s.mu.Lock()
	s.all = append(s.all, query)
	s.left--
	then := s.then
	if s.left != 0 {
		then = nil
	}
	s.mu.Unlock()
	if then != nil {
		then()
	}
}

// reader opens a SQLite file for reading, with the driver of another connection
// to it.
func (s *Statements) reader(t testing.TB, path string, like *sql.DB) *sql.DB {
	t.Helper()
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(10000)&_pragma=query_only(1)&_pragma=temp_store(MEMORY)"
	db := sql.OpenDB(recordingConnector{like.Driver(), dsn, s})
	db.SetMaxIdleConns(4)
	return db
}

// writer opens a SQLite file for writing, with the driver of another connection
// to it.
func (s *Statements) writer(t testing.TB, path string, like *sql.DB) *sql.DB {
	t.Helper()
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)&_pragma=temp_store(MEMORY)"
	db := sql.OpenDB(recordingConnector{like.Driver(), dsn, s})
	db.SetMaxOpenConns(1)
	return db
}

type recordingConnector struct {
	driver driver.Driver
	dsn    string
	to     *Statements
}

func (c recordingConnector) Driver() driver.Driver { return c.driver }

func (c recordingConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	return recordingConn{conn, c.to}, err
}

// recordingConn implements none of the optional methods of a connection except
// PrepareContext, so that every statement passes through it.
type recordingConn struct {
	driver.Conn
	to *Statements
}

func (c recordingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.to.add(query)
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c recordingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if !o.ReadOnly {
		c.to.add("BEGIN")
	}
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}
