// Package embedded keeps points in a SQLite file of its own: words in
// full-text indexes, vectors as rows that are searched in memory. The file is
// a projection: a version of the program that lays it out differently empties
// it, and the projector fills it again.
package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

var _ vectorstore.Store = (*Store)(nil)

// Store is a set of points in a SQLite file. It is safe for concurrent use,
// and several processes may use the same file.
type Store struct {
	file *projected.File

	mu    sync.Mutex
	flats map[flatKey]*flat
	words map[wordsKey]*frequencies
}

// Close releases the file.
func (s *Store) Close() error {
	return s.file.Close()
}

// Capabilities implements vectorstore.Reader.
func (s *Store) Capabilities() vectorstore.Capabilities {
	return vectorstore.Capabilities{Lexical: true, Dense: true, Exact: true}
}

// Cursor implements vectorstore.Reader.
func (s *Store) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	return s.file.Cursor(ctx, w)
}

// IDs implements vectorstore.Reader.
func (s *Store) IDs(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) ([]string, error) {
	var ids []string
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Room) (err error) {
		ids, err = sqlio.Collect(ctx, tx, sqlio.Column[string],
			`SELECT id FROM points WHERE workspace = ? AND collection = ? ORDER BY id`, r.Num, string(c))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list points: %w", err)
	}
	return ids, nil
}

// collections are all there are.
func collections() []vectorstore.Collection {
	return []vectorstore.Collection{vectorstore.Chunks, vectorstore.Sentences, vectorstore.Entities, vectorstore.Relations}
}

// wordsTable names the full-text table of a collection. Only the names of
// collections() may be passed: they become part of SQL.
func wordsTable(workspace int64, c vectorstore.Collection) string {
	return fmt.Sprintf("words_%d_%s", workspace, c)
}

// checkCollection reports a collection that does not exist.
func checkCollection(c vectorstore.Collection) error {
	if slices.Contains(collections(), c) {
		return nil
	}
	return domain.Errorf(domain.Invalid, "There is no collection %q.", c)
}
