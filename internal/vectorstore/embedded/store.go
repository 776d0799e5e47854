// Package embedded keeps points in a SQLite file: words in full-text indexes and vectors in rows.
// Searches compare vectors in memory, and score words with copies of the full-text indexes' entries
// for the words searched for. A version of the program with another layout empties the file, and the
// projector fills it again.
package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"sync"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
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

// ForModel implements vectorstore.Store.
func (s *Store) ForModel(model string) vectorstore.Store {
	if model == s.model {
		return s
	}
	return &Store{newIndex(s.file, s.slot, model)}
}

// Anew reports whether the file was damaged when it was opened, and replaced by an empty one.
func (s *Store) Anew() bool { return s.file.Anew() }

// Damage lists what contradicts itself in the file.
func (s *Store) Damage(ctx context.Context) ([]string, error) { return s.file.Damage(ctx) }

// Scrub removes deleted words from the disk, see sqlite.DB.Scrub.
func (s *Store) Scrub(ctx context.Context, pages int) (left int, err error) {
	return s.file.Scrub(ctx, pages)
}

// index is the live index or a build, which share the file.
type index struct {
	file  *projected.File
	slot  slot
	model string // of the vectors written to it; "" if unknown

	mu       sync.Mutex
	flats    map[flatKey]*flat
	lexicons map[lexiconKey]*lexicon
}

func newIndex(file *projected.File, s slot, model string) *index {
	return &index{file: file, slot: s, model: model, flats: map[flatKey]*flat{}, lexicons: map[lexiconKey]*lexicon{}}
}

// slot distinguishes the live index from a build. The names of workspaces in the
// file begin with it.
type slot string

const (
	live     slot = ""
	building slot = "\x01build\x01"
)

// room returns the name of a workspace in the file.
func (x *index) room(w domain.WorkspaceID) domain.WorkspaceID {
	return domain.WorkspaceID(x.slot) + w
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
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Workspace) (err error) {
		ids, err = sqlio.Collect(ctx, tx, sqlio.Column[string],
			`SELECT id FROM points WHERE workspace = ? AND collection = ? ORDER BY id`, r.Num, string(c))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list points: %w", err)
	}
	return ids, nil
}

// wordsTable returns the name of a collection's full-text table. c must be one of
// vectorstore.Collections: the name becomes part of SQL.
func wordsTable(workspace int64, c vectorstore.Collection) string {
	return fmt.Sprintf("words_%d_%s", workspace, c)
}

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
