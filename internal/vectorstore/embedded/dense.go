package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Dense implements vectorstore.Reader. It compares every vector.
func (x *index) Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	f, err := x.loaded(ctx, w, q.Collection)
	if err != nil || q.Limit <= 0 {
		return nil, err
	}
	return f.search(unit(q.Vector), q.Limit, q.Documents)
}

// Embedded implements vectorstore.Reader.
func (x *index) Embedded(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) (embedded, points int, err error) {
	if err := c.Check(); err != nil {
		return 0, 0, err
	}
	f, err := x.loaded(ctx, w, c)
	if err != nil {
		return 0, 0, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.nums), f.points, nil
}

// loaded returns the flat index of a collection as of the file.
func (x *index) loaded(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) (*flat, error) {
	f := x.flat(w, c)
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Workspace) error {
		if err := x.checkModel(ctx, tx); err != nil {
			return err
		}
		return f.refresh(ctx, tx, r)
	})
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	return f, nil
}
