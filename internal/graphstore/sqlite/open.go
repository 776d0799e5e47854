package sqlite

import (
	"context"
	_ "embed"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
)

//go:embed schema.sql
var schema string

// version must change whenever the meaning of schema.sql changes.
const version = 8

// Open opens or creates the graph file at path. A file with another layout is
// emptied.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := projected.Open(ctx, path, projected.Layout{Name: "graph", Version: version, Schema: schema})
	if err != nil {
		return nil, err
	}
	return &Store{file: file, stats: map[domain.WorkspaceID]counted{}}, nil
}
