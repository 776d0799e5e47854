package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

// batch limits the values of one IN list, below every database's limit on
// parameters.
const batch = 500

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// column is a JSON column: a value as an argument, a pointer to one in a scan.
type column struct{ v any }

// Value encodes the value.
func (c column) Value() (driver.Value, error) {
	b, err := json.Marshal(c.v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", c.v, err)
	}
	return string(b), nil
}

// Scan decodes src.
func (c column) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		return fmt.Errorf("a JSON column holds %T", src)
	}
	return json.Unmarshal([]byte(s), c.v)
}

// instant scans a time column.
type instant struct{ into *time.Time }

// Scan converts src.
func (i instant) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time column holds %T", src)
	}
	*i.into = sqlio.Time(n)
	return nil
}

// A pool holds each string of many rows once: names, labels and ids are repeated.
type pool struct{ all map[string]string }

func (p *pool) of(s string) string {
	if p.all == nil {
		p.all = map[string]string{}
	}
	one, ok := p.all[s]
	if !ok {
		one = s
		p.all[s] = s
	}
	return one
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
		if _, err := q.ExecContext(ctx, fmt.Sprintf(statement, sqlio.Marks(len(part))), with...); err != nil {
			return err
		}
	}
	return nil
}

// insert writes rows in batches. prefix names table and columns, suffix follows
// the values. A batch is not interrupted: to be able to would cost as much.
func insert(ctx context.Context, q querier, prefix string, rows [][]any, suffix string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	for part := range slices.Chunk(rows, 50) {
		one := "(" + sqlio.Marks(len(part[0])) + "),"
		values := strings.TrimSuffix(strings.Repeat(one, len(part)), ",")
		if _, err := q.ExecContext(ctx, prefix+" VALUES "+values+" "+suffix, slices.Concat(part...)...); err != nil {
			return err
		}
	}
	return nil
}

// changed reports whether a statement touched a row.
func changed(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}
