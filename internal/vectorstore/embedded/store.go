// Package embedded keeps points in a SQLite file of its own: words in
// full-text indexes, vectors as rows that are searched in memory. The file is
// a projection: a version of the program that lays it out differently empties
// it, and the projector fills it again.
package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/internal/vectorstore"
)

var _ vectorstore.Store = (*Store)(nil)

// Store is a set of points in a SQLite file. It is safe for concurrent use,
// and several processes may use the same file.
type Store struct {
	db *sqlite.DB

	mu    sync.Mutex
	flats map[flatKey]*flat
	words map[wordsKey]*frequencies
}

// Close releases the file.
func (s *Store) Close() error {
	return s.db.Close()
}

// Capabilities implements vectorstore.Reader.
func (s *Store) Capabilities() vectorstore.Capabilities {
	return vectorstore.Capabilities{Lexical: true, Dense: true, Exact: true}
}

// Cursor implements vectorstore.Reader.
func (s *Store) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	r, err := findRoom(ctx, s.db.Reader, w)
	return r.cursor, err
}

// IDs implements vectorstore.Reader.
func (s *Store) IDs(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) ([]string, error) {
	var ids []string
	err := s.read(ctx, w, func(tx *sql.Tx, r room) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT id FROM points WHERE workspace = ? AND collection = ? ORDER BY id`, r.num, string(c))
	})
	if err != nil {
		return nil, fmt.Errorf("list points: %w", err)
	}
	return ids, nil
}

// room is a workspace as the file knows it. A workspace that was reset comes
// back under another number.
type room struct {
	num    int64 // 0 when nothing was ever written
	cursor int64
}

// querier is what a database and a transaction have in common.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func findRoom(ctx context.Context, q querier, w domain.WorkspaceID) (room, error) {
	var r room
	err := q.QueryRowContext(ctx, `SELECT num, cursor FROM workspaces WHERE id = ?`, string(w)).Scan(&r.num, &r.cursor)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return room{}, fmt.Errorf("find workspace: %w", err)
	}
	return r, nil
}

// read runs f on one snapshot of the file.
func (s *Store) read(ctx context.Context, w domain.WorkspaceID, f func(*sql.Tx, room) error) error {
	tx, err := s.db.Reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	r, err := findRoom(ctx, tx, w)
	if err != nil {
		return err
	}
	return f(tx, r)
}

// each runs query and calls f for every row.
func each(ctx context.Context, q querier, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
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
	for _, known := range collections() {
		if c == known {
			return nil
		}
	}
	return domain.Errorf(domain.Invalid, "There is no collection %q.", c)
}
