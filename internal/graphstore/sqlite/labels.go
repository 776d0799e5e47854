package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Labels implements graphstore.Reader.
func (s *Store) Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	return list(ctx, s, w, "count labels", func(rows *sql.Rows) (c graphstore.LabelCount, err error) {
		err = rows.Scan(&c.Label, &c.Count)
		return c, err
	}, `SELECT label, COUNT(*) FROM entities WHERE workspace = ? AND unlisted = 0 GROUP BY label ORDER BY COUNT(*) DESC, label`)
}

// Types implements graphstore.Reader.
func (s *Store) Types(ctx context.Context, w domain.WorkspaceID) ([]graphstore.TypeCount, error) {
	return list(ctx, s, w, "count types", func(rows *sql.Rows) (c graphstore.TypeCount, err error) {
		err = rows.Scan(&c.Type, &c.Count)
		return c, err
	}, `SELECT type, COUNT(*) FROM relations WHERE workspace = ? GROUP BY type ORDER BY COUNT(*) DESC, type`)
}

// list returns the rows of a query whose first argument is the workspace, as scan reads them.
func list[T any](ctx context.Context, s *Store, w domain.WorkspaceID, op string, scan func(*sql.Rows) (T, error), query string, args ...any) (found []T, err error) {
	err = s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		found, err = sqlio.Collect(ctx, tx, scan, query, slices.Insert(args, 0, any(r.Num))...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return found, nil
}

// pairs is list of a query with two columns, a key and its value.
func pairs[K comparable, V any](ctx context.Context, s *Store, w domain.WorkspaceID, op, query string, args ...any) (map[K]V, error) {
	by := map[K]V{}
	_, err := list(ctx, s, w, op, func(rows *sql.Rows) (v V, err error) {
		var k K
		err = rows.Scan(&k, &v)
		by[k] = v
		return v, err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return by, nil
}
