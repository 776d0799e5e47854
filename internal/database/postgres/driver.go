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
	return conn{made.(*stdlib.Conn)}, nil
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
type conn struct{ *stdlib.Conn }

// Prepare implements driver.Conn.
func (c conn) Prepare(query string) (driver.Stmt, error) { return c.Conn.Prepare(number(query)) }

// PrepareContext implements driver.ConnPrepareContext.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.PrepareContext(ctx, number(query))
}

// ExecContext implements driver.ExecerContext.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 {
		query = number(query)
	}
	return c.Conn.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		query = number(query)
	}
	return c.Conn.QueryContext(ctx, query, args)
}

// CheckNamedValue makes texts storable.
func (c conn) CheckNamedValue(v *driver.NamedValue) error {
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
