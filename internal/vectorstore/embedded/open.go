package embedded

import (
	"context"
	_ "embed"

	"github.com/clewhq/clew/internal/sqlite/projected"
)

//go:embed schema.sql
var schema string

// version is raised whenever the meaning of schema.sql changes.
const version = 4

// Open opens the search index kept in the file at path and creates it when there is
// none. A file of another layout is emptied.
func Open(ctx context.Context, path string, options ...Option) (*Store, error) {
	file, err := projected.Open(ctx, path, projected.Layout{Name: "search index", Version: version, Schema: schema})
	if err != nil {
		return nil, err
	}
	s := &Store{newIndex(file, live, "")}
	for _, o := range options {
		o(s)
	}
	return s, nil
}

// Option changes how a store works.
type Option func(*Store)

// WithModel names the embedding model whose vectors the store is given and
// asked with. Without it, vectors are told apart by their dimension alone.
func WithModel(model string) Option {
	return func(s *Store) { s.model = model }
}
