package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

// batch is how many values one IN list holds: below every database's limit on
// parameters.
const batch = 500

// flag is b as stored.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// encode is v as a JSON column.
func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

// column scans a JSON column into the value it points at.
type column struct{ into any }

// Scan decodes src.
func (c column) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		return fmt.Errorf("a JSON column holds %T", src)
	}
	return json.Unmarshal([]byte(s), c.into)
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

// collectIn runs query, whose one "IN (%s)" takes values, in batches. args
// come before the values. The batches' rows follow one another.
func collectIn[T, V any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args []any, values []V) ([]T, error) {
	var all []T
	for part := range slices.Chunk(values, batch) {
		with := slices.Clone(args)
		for _, v := range part {
			with = append(with, v)
		}
		rows, err := sqlio.Collect(ctx, q, scan, fmt.Sprintf(query, sqlio.Marks(len(part))), with...)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// insert writes rows with few statements: prefix names table and columns,
// suffix follows the values.
func insert(ctx context.Context, q querier, prefix string, rows [][]any, suffix string) error {
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
