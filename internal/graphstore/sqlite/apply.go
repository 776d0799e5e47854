package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Apply implements graphstore.Writer.
func (s *Store) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	deleted := false
	err := s.db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := findRoom(ctx, tx, w)
		if err != nil || r.cursor >= b.Cursor {
			return err
		}
		if r.cursor != b.After {
			return domain.Errorf(domain.Conflict, "The graph is at change %d, not at %d: another process is bringing it up to date.", r.cursor, b.After)
		}
		err = tx.QueryRowContext(ctx, `INSERT INTO workspaces (id, cursor) VALUES (?, ?)
			ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor RETURNING num`, string(w), b.Cursor).Scan(&r.num)
		if err != nil {
			return fmt.Errorf("move cursor: %w", err)
		}
		in := newBatch(ctx, tx, r.num)
		err = in.apply(b)
		deleted = in.deleted
		return err
	})
	if err != nil {
		return fmt.Errorf("apply to graph: %w", err)
	}
	if deleted {
		return s.forget(ctx)
	}
	return nil
}

// Reset implements graphstore.Writer.
func (s *Store) Reset(ctx context.Context, w domain.WorkspaceID) error {
	err := s.db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := findRoom(ctx, tx, w)
		if err != nil {
			return err
		}
		b := newBatch(ctx, tx, r.num)
		b.exec(`DELETE FROM entity_words WHERE rowid IN (SELECT num FROM entities WHERE workspace = ?)`, r.num)
		for _, table := range []string{"documents", "chunks", "links", "entity_keys", "entities", "relations"} {
			b.exec(`DELETE FROM `+table+` WHERE workspace = ?`, r.num)
		}
		b.exec(`DELETE FROM workspaces WHERE num = ?`, r.num)
		return b.err
	})
	if err != nil {
		return fmt.Errorf("reset graph: %w", err)
	}
	return s.forget(ctx)
}

// forget empties the write-ahead log, which still holds what was deleted. A
// reader in the middle of a query may keep part of it until the next time.
func (s *Store) forget(ctx context.Context) error {
	err := s.db.Checkpoint(ctx)
	if domain.KindOf(err) == domain.Unavailable {
		return nil
	}
	return err
}

// batch writes the parts of one batch. The first error sticks and turns
// everything after it into nothing, so that the writing reads as a list.
type batch struct {
	ctx       context.Context
	tx        *sql.Tx
	workspace int64
	prepared  map[string]*sql.Stmt
	chunks    map[domain.ChunkID]int64 // numbers looked up so far, 0 for none
	deleted   bool                     // a document's words have gone from the file
	err       error
}

func newBatch(ctx context.Context, tx *sql.Tx, workspace int64) *batch {
	return &batch{ctx: ctx, tx: tx, workspace: workspace, prepared: map[string]*sql.Stmt{}, chunks: map[domain.ChunkID]int64{}}
}

func (b *batch) apply(in graphstore.Batch) error {
	for _, id := range in.DeleteDocuments {
		b.deleteDocument(id)
	}
	for _, id := range in.DeleteEntities {
		b.deleteEntity(id)
	}
	for _, id := range in.DeleteRelations {
		b.exec(`DELETE FROM relations WHERE workspace = ? AND id = ?`, b.workspace, string(id))
	}
	for _, d := range in.Documents {
		b.putDocument(d)
	}
	for _, e := range in.Entities {
		b.putEntity(e)
	}
	for _, r := range in.Relations {
		b.putRelation(r)
	}
	return b.err
}

// stmt is query prepared once in this transaction; nil after an error.
func (b *batch) stmt(query string) *sql.Stmt {
	if b.err != nil {
		return nil
	}
	st, ok := b.prepared[query]
	if !ok {
		if st, b.err = b.tx.PrepareContext(b.ctx, query); b.err != nil {
			return nil
		}
		b.prepared[query] = st
	}
	return st
}

func (b *batch) exec(query string, args ...any) {
	if st := b.stmt(query); st != nil {
		_, b.err = st.ExecContext(b.ctx, args...)
	}
}

// each calls f for every row of query. f must not write.
func (b *batch) each(f func(*sql.Rows) error, query string, args ...any) {
	st := b.stmt(query)
	if st == nil {
		return
	}
	rows, err := st.QueryContext(b.ctx, args...)
	if err != nil {
		b.err = err
		return
	}
	defer rows.Close()
	for rows.Next() {
		if b.err = f(rows); b.err != nil {
			return
		}
	}
	b.err = rows.Err()
}
