// Package sqlite keeps the entity graph in a SQLite file of its own. The file
// is a projection: a version of the program that lays it out differently
// empties it, and the projector fills it again.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	file "github.com/clewhq/clew/internal/sqlite"
)

var _ graphstore.Store = (*Store)(nil)

// Store is a graph in a SQLite file. It is safe for concurrent use, and
// several processes may use the same file.
type Store struct {
	db *file.DB
}

// Close releases the file.
func (s *Store) Close() error {
	return s.db.Close()
}

// Cursor implements graphstore.Reader.
func (s *Store) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	room, err := findRoom(ctx, s.db.Reader, w)
	return room.cursor, err
}

// Stats implements graphstore.Reader.
func (s *Store) Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error) {
	var st graphstore.Stats
	err := s.read(ctx, w, func(tx *sql.Tx, r room) error {
		return tx.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM documents WHERE workspace = ?1),
			(SELECT count(*) FROM chunks    WHERE workspace = ?1),
			(SELECT count(*) FROM entities  WHERE workspace = ?1),
			(SELECT count(*) FROM relations WHERE workspace = ?1)`, r.num,
		).Scan(&st.Documents, &st.Chunks, &st.Entities, &st.Relations)
	})
	if err != nil {
		return graphstore.Stats{}, fmt.Errorf("count graph: %w", err)
	}
	return st, nil
}

// room is a workspace as the file knows it: by a number, so that the rows of
// the largest tables stay small.
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
