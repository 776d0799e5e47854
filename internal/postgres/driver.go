package postgres

import (
	"context"
	"database/sql/driver"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/clewhq/clew/internal/sqlio"
)

// connector makes connections that understand "?" for a placeholder.
type connector struct{ driver.Connector }

// Connect is driver.Connector.Connect.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn{made.(*stdlib.Conn)}, nil
}

// Driver tells sqlio the dialect.
func (c connector) Driver() driver.Driver { return speaker{c.Connector.Driver()} }

type speaker struct{ driver.Driver }

// Dialect is what sqlio.DialectOf asks for.
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

// conn is a connection of pgx. A statement without arguments, a migration for
// instance, passes as it is.
type conn struct{ *stdlib.Conn }

// Prepare is driver.Conn.Prepare.
func (c conn) Prepare(query string) (driver.Stmt, error) { return c.Conn.Prepare(number(query)) }

// PrepareContext is driver.ConnPrepareContext.PrepareContext.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.PrepareContext(ctx, number(query))
}

// ExecContext is driver.ExecerContext.ExecContext.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 {
		query = number(query)
	}
	return c.Conn.ExecContext(ctx, query, args)
}

// QueryContext is driver.QueryerContext.QueryContext.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		query = number(query)
	}
	return c.Conn.QueryContext(ctx, query, args)
}

// CheckNamedValue makes texts such as Postgres takes.
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

// storable is s with U+FFFD in place of each byte that is no UTF-8 and of each
// NUL, which Postgres's texts can't hold. What is code point n stays code point
// n. Documents hold neither; a question or a model's answer may.
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
