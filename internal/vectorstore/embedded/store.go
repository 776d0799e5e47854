// Package embedded keeps points in a SQLite file of its own: words in
// full-text indexes, vectors as rows that are searched in memory. The file is
// a projection: a version of the program that lays it out differently empties
// it, and the projector fills it again.
package embedded

import (
	"context"
	"database/sql"
	"fmt"
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
	*index
}

// Close releases the file.
func (s *Store) Close() error {
	return s.file.Close()
}

// index is the points of the live index, or those of a build, in the file that
// both share.
type index struct {
	file  *projected.File
	place place
	model string // of the vectors it is given; "" when that is not known

	mu    sync.Mutex
	flats map[flatKey]*flat
	words map[wordsKey]*frequencies
}

func newIndex(file *projected.File, p place, model string) *index {
	return &index{file: file, place: p, model: model, flats: map[flatKey]*flat{}, words: map[wordsKey]*frequencies{}}
}

// place tells the live index from a build beside it: what the file calls a
// workspace begins with it.
type place string

const (
	live     place = ""
	building place = "\x01build\x01"
)

// room is what the file calls a workspace.
func (x *index) room(w domain.WorkspaceID) domain.WorkspaceID {
	return domain.WorkspaceID(x.place) + w
}

// Exact implements vectorstore.Reader.
func (x *index) Exact() bool { return true }

// Cursor implements vectorstore.Reader.
func (x *index) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	return x.file.Cursor(ctx, x.room(w))
}

// IDs implements vectorstore.Reader.
func (x *index) IDs(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) ([]string, error) {
	var ids []string
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Room) (err error) {
		ids, err = sqlio.Collect(ctx, tx, sqlio.Column[string],
			`SELECT id FROM points WHERE workspace = ? AND collection = ? ORDER BY id`, r.Num, string(c))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list points: %w", err)
	}
	return ids, nil
}

// wordsTable names the full-text table of a collection. Only the names of
// vectorstore.Collections may be passed: they become part of SQL.
func wordsTable(workspace int64, c vectorstore.Collection) string {
	return fmt.Sprintf("words_%d_%s", workspace, c)
}
