package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/clewhq/clew/internal/database/sqlio"
)

// batch limits the values of one IN list, below every database's limit on
// parameters.
const batch = 500

// A pool holds each string of many rows once: names, labels and ids are repeated.
type pool struct{ all map[string]string }

// share replaces strings by the ones that it holds.
func (p *pool) share(all ...*string) {
	if p.all == nil {
		p.all = map[string]string{}
	}
	for _, s := range all {
		if one, ok := p.all[*s]; ok {
			*s = one
		} else {
			p.all[*s] = *s
		}
	}
}

// eachIn runs query, whose one "IN (%s)" takes the values, in batches, and calls
// f for every row. args precede the values.
func eachIn[V any](ctx context.Context, q querier, f func(*sql.Rows) error, query string, args []any, values []V) error {
	for part := range slices.Chunk(values, batch) {
		with := slices.Clone(args)
		for _, v := range part {
			with = append(with, v)
		}
		n := fewSizes(len(part))
		for range n - len(part) {
			with = append(with, part[0])
		}
		if err := sqlio.Each(ctx, q, f, fmt.Sprintf(query, sqlio.Marks(n)), with...); err != nil {
			return err
		}
	}
	return nil
}

// fewSizes returns the next power of two: a database keeps a statement of each
// size prepared, and a value that is listed twice is found once.
func fewSizes(n int) int { return 1 << bits.Len(uint(n-1)) }

// collectIn is eachIn that returns the rows as scan reads them.
func collectIn[T, V any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args []any, values []V) (all []T, err error) {
	err = eachIn(ctx, q, func(rows *sql.Rows) error {
		v, err := scan(rows)
		all = append(all, v)
		return err
	}, query, args, values)
	return all, err
}

// execIn runs a statement, whose one "IN (%s)" takes the values, in batches. args
// precede the values.
func execIn[V any](ctx context.Context, q querier, statement string, args []any, values []V) error {
	for part := range slices.Chunk(values, batch) {
		with := slices.Clone(args)
		for _, v := range part {
			with = append(with, v)
		}
		if err := sqlio.Exec(ctx, q, fmt.Sprintf(statement, sqlio.Marks(len(part))), with...); err != nil {
			return err
		}
	}
	return nil
}

// read returns the row of a table that a condition selects, or the error missing.
func read[T any](ctx context.Context, q sqlio.Querier, t sqlio.Table[T], missing error, cond string, args ...any) (v T, err error) {
	found, err := sqlio.Collect(ctx, q, t.Scan, t.Select()+cond, args...)
	if err != nil {
		return v, err
	}
	if len(found) == 0 {
		return v, missing
	}
	return found[0], nil
}

// based is a Ledger or a part of it.
type based interface{ base() *store }

// list returns the rows of a query as scan reads them.
func list[T any](ctx context.Context, l based, op string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	all, err := sqlio.Collect(ctx, l.base().reader, scan, query, args...)
	return all, l.base().wrap(op, err)
}

// listIn is list of a query with values, see eachIn.
func listIn[T, V any](ctx context.Context, l based, op string, scan func(*sql.Rows) (T, error), query string, args []any, values []V) ([]T, error) {
	all, err := collectIn(ctx, l.base().reader, scan, query, args, values)
	return all, l.base().wrap(op, err)
}

// one returns the single value of a query, or the zero value if it has no row.
func one[T any](ctx context.Context, l based, op, query string, args ...any) (v T, err error) {
	err = l.base().reader.QueryRowContext(ctx, query, args...).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, l.base().wrap(op, err)
}

// pairs returns the rows of a query with two columns, a key and its value.
func pairs[K comparable, V any](ctx context.Context, l based, op, query string, args ...any) (map[K]V, error) {
	by := map[K]V{}
	err := sqlio.Each(ctx, l.base().reader, addPair(by), query, args...)
	return by, l.base().wrap(op, err)
}

// pairsIn is pairs of a query with values, see eachIn.
func pairsIn[K comparable, V, X any](ctx context.Context, l based, op, query string, args []any, values []X) (map[K]V, error) {
	by := map[K]V{}
	err := eachIn(ctx, l.base().reader, addPair(by), query, args, values)
	return by, l.base().wrap(op, err)
}

// groupsIn returns the rows of a query with values by their first column: fields
// says where the others are scanned.
func groupsIn[K comparable, V, X any](ctx context.Context, q querier, fields func(*V) []any, query string, args []any, values []X) (map[K][]V, error) {
	by := map[K][]V{}
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var k K
		var v V
		err := rows.Scan(sqlio.To(append([]any{&k}, fields(&v)...)...)...)
		by[k] = append(by[k], v)
		return err
	}, query, args, values)
	return by, err
}

func addPair[K comparable, V any](by map[K]V) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var k K
		var v V
		err := rows.Scan(sqlio.To(&k, &v)...)
		by[k] = v
		return err
	}
}

// into scans rows into the fields that it names of each.
func into[T any](fields func(*T) []any) func(*sql.Rows) (T, error) {
	return func(rows *sql.Rows) (v T, err error) { return v, rows.Scan(sqlio.To(fields(&v)...)...) }
}
