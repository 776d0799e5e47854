// Package sqlite keeps the entity graph in a SQLite file. The file is a projection: a version of the
// program with another layout empties it, and the projector fills it again.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"sync"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

var _ graphstore.Store = (*Store)(nil)

// Store is a graph in a SQLite file. It is safe for concurrent use, also by
// several processes.
type Store struct {
	file *projected.File

	mu    sync.Mutex
	stats map[domain.WorkspaceID]counted
}

// counted holds the counts of a workspace at a change: every page shows them, and counting reads whole tables.
type counted struct {
	room  projected.Workspace
	stats graphstore.Stats
}

// Close releases the file.
func (s *Store) Close() error {
	return s.file.Close()
}

// Anew reports whether the file was damaged when it was opened, and replaced by an empty one.
func (s *Store) Anew() bool { return s.file.Anew() }

// Damage lists what contradicts itself in the file.
func (s *Store) Damage(ctx context.Context) ([]string, error) { return s.file.Damage(ctx) }

// Scrub removes deleted words from the disk, see sqlite.DB.Scrub.
func (s *Store) Scrub(ctx context.Context, pages int) (left int, err error) {
	return s.file.Scrub(ctx, pages)
}

// MaxChanges implements graphstore.Writer.
func (s *Store) MaxChanges() int { return 4000 }

// Cursor implements graphstore.Reader.
func (s *Store) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	return s.file.Cursor(ctx, w)
}

// Stats implements graphstore.Reader.
func (s *Store) Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error) {
	var stats graphstore.Stats
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		stats, err = s.count(ctx, tx, w, r)
		return err
	})
	if err != nil {
		return graphstore.Stats{}, fmt.Errorf("count graph: %w", err)
	}
	return stats, nil
}

// count counts what a workspace holds, once at each change.
func (s *Store) count(ctx context.Context, tx *sql.Tx, w domain.WorkspaceID, r projected.Workspace) (graphstore.Stats, error) {
	s.mu.Lock()
	c := s.stats[w]
	s.mu.Unlock()
	if c.room == r {
		return c.stats, nil
	}
	c.room = r
	err := tx.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM documents WHERE workspace = ?1),
		(SELECT count(*) FROM chunks    WHERE workspace = ?1),
		(SELECT count(*) FROM entities  WHERE workspace = ?1 AND unlisted = 0),
		(SELECT count(*) FROM relations WHERE workspace = ?1)`, r.Num,
	).Scan(&c.stats.Documents, &c.stats.Chunks, &c.stats.Entities, &c.stats.Relations)
	if err == nil {
		s.mu.Lock()
		s.stats[w] = c
		s.mu.Unlock()
	}
	return c.stats, err
}

//go:embed schema.sql
var schema string

// version must change whenever the meaning of schema.sql changes.
const version = 9

// Open opens or creates the graph file at path. A file with another layout is
// emptied.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := projected.Open(ctx, path, projected.Layout{Name: "graph", Version: version, Schema: schema})
	if err != nil {
		return nil, err
	}
	return &Store{file: file, stats: map[domain.WorkspaceID]counted{}}, nil
}
