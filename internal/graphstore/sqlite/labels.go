package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Labels implements graphstore.Reader.
func (s *Store) Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	var counts []graphstore.LabelCount
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		counts, err = sqlio.Collect(ctx, tx, func(rows *sql.Rows) (c graphstore.LabelCount, err error) {
			err = rows.Scan(&c.Label, &c.Count)
			return c, err
		}, `SELECT label, COUNT(*) FROM entities WHERE workspace = ? AND unlisted = 0 GROUP BY label ORDER BY COUNT(*) DESC, label`, r.Num)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count labels: %w", err)
	}
	return counts, nil
}

// Types implements graphstore.Reader.
func (s *Store) Types(ctx context.Context, w domain.WorkspaceID) ([]graphstore.TypeCount, error) {
	var counts []graphstore.TypeCount
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		counts, err = sqlio.Collect(ctx, tx, func(rows *sql.Rows) (c graphstore.TypeCount, err error) {
			err = rows.Scan(&c.Type, &c.Count)
			return c, err
		}, `SELECT type, COUNT(*) FROM relations WHERE workspace = ? GROUP BY type ORDER BY COUNT(*) DESC, type`, r.Num)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count types: %w", err)
	}
	return counts, nil
}
