package sqlite

import (
	"context"
	_ "embed"

	"github.com/clewhq/clew/internal/sqlite/projected"
)

//go:embed schema.sql
var schema string

// version is raised whenever the meaning of schema.sql changes.
const version = 2

// Open opens the graph kept in the file at path and creates it when there is
// none. A file of another layout is emptied.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := projected.Open(ctx, path, projected.Layout{Name: "graph", Version: version, Schema: schema})
	if err != nil {
		return nil, err
	}
	return &Store{file: file}, nil
}
