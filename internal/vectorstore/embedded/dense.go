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
func (x *index) Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	f := x.flat(w, q.Collection)
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Workspace) error {
		if err := x.checkModel(ctx, tx); err != nil {
			return err
		}
		return f.refresh(ctx, tx, r)
	})
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	if q.Limit <= 0 {
		return nil, nil
	}
	return f.search(unit(q.Vector), q.Limit, q.Documents)
}
