// Package sqlio complements database/sql for the packages that use SQL: values
// for statements, rows from queries, transactions, and the differences between
// the two databases. Placeholders are "?" in both.
package sqlio

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Marks returns n placeholders, separated by commas.
func Marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// Args returns the values as arguments of a statement.
func Args[V ~string](values []V) []any {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	return args
}

// Flag returns b as stored: 1 for true.
func Flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Millis returns t as stored: Unix milliseconds, 0 for the zero time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the inverse of Millis, in UTC.
func Time(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis).UTC()
}

// A Querier is a database, a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each runs query and calls f for every row, until f fails.
func Each(ctx context.Context, q Querier, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return Drain(rows, f)
}

// Drain calls f for every row, until f fails, and closes rows.
func Drain(rows *sql.Rows, f func(*sql.Rows) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Collect runs query and returns the values that scan reads from each row. It returns nil if there are no rows, and
// after an error.
func Collect[T any](ctx context.Context, q Querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := Each(ctx, q, func(rows *sql.Rows) error {
		v, err := scan(rows)
		all = append(all, v)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Column reads a row of one column.
func Column[V any](rows *sql.Rows) (V, error) {
	var v V
	err := rows.Scan(&v)
	return v, err
}

// Value returns the single value of a query, or the zero value if it has no row.
func Value[V any](ctx context.Context, q Querier, query string, args ...any) (v V, err error) {
	err = Each(ctx, q, func(rows *sql.Rows) error { return rows.Scan(target(&v)) }, query, args...)
	return v, err
}

// An Execer is a database, a connection or a transaction.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Exec runs a statement.
func Exec(ctx context.Context, x Execer, statement string, args ...any) error {
	_, err := x.ExecContext(ctx, statement, args...)
	return err
}

// ExecAll runs statements in order, all with the same arguments, until one fails.
func ExecAll(ctx context.Context, x Execer, args []any, statements ...string) error {
	for _, s := range statements {
		if err := Exec(ctx, x, s, args...); err != nil {
			return err
		}
	}
	return nil
}

// Changed reports whether a statement touched a row.
func Changed(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}
