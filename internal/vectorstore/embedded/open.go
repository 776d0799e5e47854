package embedded

import (
	"context"
	_ "embed"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
)

//go:embed schema.sql
var schema string

// version must be raised whenever schema.sql or the meaning of its rows changes.
const version = 6

// Open opens the search index in the file at path, or creates it. A file of
// another version is emptied. model is the embedding model of all vectors; if it is
// "", only their dimension is checked.
func Open(ctx context.Context, path, model string) (*Store, error) {
	file, err := projected.Open(ctx, path, projected.Layout{Name: "search index", Version: version, Schema: schema})
	if err != nil {
		return nil, err
	}
	return &Store{newIndex(file, live, model)}, nil
}
