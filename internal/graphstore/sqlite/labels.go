package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Labels implements graphstore.Reader.
func (s *Store) Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	var counts []graphstore.LabelCount
	err := s.read(ctx, w, func(tx *sql.Tx, r room) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var c graphstore.LabelCount
			err := rows.Scan(&c.Label, &c.Count)
			counts = append(counts, c)
			return err
		}, `SELECT label, COUNT(*) FROM entities WHERE workspace = ? GROUP BY label ORDER BY COUNT(*) DESC, label`, r.num)
	})
	if err != nil {
		return nil, fmt.Errorf("count labels: %w", err)
	}
	return counts, nil
}
