package embedded

import (
	"context"
	_ "embed"

	"github.com/clewhq/clew/internal/sqlite/projected"
)

//go:embed schema.sql
var schema string

// version must be raised whenever schema.sql or the meaning of its rows changes.
const version = 4

// Open opens the search index in the file at path, or creates it. A file of
// another version is emptied.
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

// Option configures a store.
type Option func(*Store)

// WithModel sets the embedding model of all vectors. Without it, only their
// dimension is checked.
func WithModel(model string) Option {
	return func(s *Store) { s.model = model }
}
