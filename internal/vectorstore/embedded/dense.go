package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Dense implements vectorstore.Reader. It compares every vector.
func (s *Store) Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	if err := checkCollection(q.Collection); err != nil {
		return nil, err
	}
	f := s.flat(w, q.Collection)
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Room) error { return f.refresh(ctx, tx, r) })
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	if q.Limit <= 0 {
		return nil, nil
	}
	return f.search(unit(q.Vector), q.Limit, q.Documents)
}
