package postgres

import (
	"context"
	"database/sql/driver"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// A connector opens connections that accept "?" placeholders.
type connector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: made.(*stdlib.Conn)}, nil
}

// Driver returns a driver with a dialect for sqlio.
func (c connector) Driver() driver.Driver { return speaker{c.Connector.Driver()} }

type speaker struct{ driver.Driver }

// Dialect returns the dialect for sqlio.DialectOf.
func (speaker) Dialect() sqlio.Dialect {
	return sqlio.Dialect{
		Postgres:  true,
		Staying:   " FOR KEY SHARE",
		Unchanged: " FOR SHARE",
		Changing:  " FOR NO KEY UPDATE",
		Removing:  " FOR UPDATE",
		Unclaimed: " FOR NO KEY UPDATE SKIP LOCKED",
		Again:     again,
	}
}

// conn is a connection of pgx that numbers placeholders. It leaves statements
// without arguments, such as migrations, unchanged.
type conn struct {
	*stdlib.Conn
	tx *tx // in progress, unless it has options
}

// Prepare implements driver.Conn.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext. The server prepares a
// statement when it first runs on a connection.
func (c *conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return stmt{c, number(query)}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	switch {
	case len(args) == 0:
		if err := c.tx.flush(ctx); err != nil {
			return nil, err
		}
		return c.Conn.ExecContext(ctx, query, nil)
	case c.tx == nil:
		return c.Conn.ExecContext(ctx, number(query), args)
	}
	return c.tx.exec(ctx, number(query), args)
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		query = number(query)
	}
	if c.tx.waits() && len(args) > 0 {
		return c.tx.query(ctx, query, args)
	}
	if err := c.tx.flush(ctx); err != nil {
		return nil, err
	}
	return c.Conn.QueryContext(ctx, query, args)
}

// CheckNamedValue makes texts storable.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if s, ok := v.Value.(string); ok {
		v.Value = storable(s)
		return nil
	}
	if _, own := v.Value.(driver.Valuer); own {
		return c.Conn.CheckNamedValue(v)
	}
	if named := reflect.ValueOf(v.Value); named.Kind() == reflect.String {
		v.Value = storable(named.String())
		return nil
	}
	return c.Conn.CheckNamedValue(v)
}

// storable replaces each invalid UTF-8 byte and each NUL, which Postgres can't
// store, by U+FFFD. Code point n stays code point n. Documents hold neither;
// questions and models' answers may.
func storable(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, s)
}
