package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Apply implements vectorstore.Writer.
func (s *Store) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	deleted := false
	err := s.db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := findRoom(ctx, tx, w)
		if err != nil || r.cursor >= b.Cursor {
			return err
		}
		if r.cursor != b.After {
			return domain.Errorf(domain.Conflict, "The search index is at change %d, not at %d: another process is bringing it up to date.", r.cursor, b.After)
		}
		num, err := moveCursor(ctx, tx, w, r, b.Cursor)
		if err != nil {
			return err
		}
		in := newBatch(ctx, tx, num, b.Cursor)
		err = in.apply(b)
		deleted = in.deleted
		return err
	})
	if err != nil {
		return fmt.Errorf("apply to search index: %w", err)
	}
	if deleted {
		return s.forget(ctx)
	}
	return nil
}

// moveCursor sets a workspace's cursor and is its number; a workspace that is
// new gets its full-text tables.
func moveCursor(ctx context.Context, tx *sql.Tx, w domain.WorkspaceID, r room, cursor int64) (int64, error) {
	if r.num != 0 {
		_, err := tx.ExecContext(ctx, `UPDATE workspaces SET cursor = ? WHERE num = ?`, cursor, r.num)
		return r.num, err
	}
	err := tx.QueryRowContext(ctx, `INSERT INTO workspaces (id, cursor) VALUES (?, ?) RETURNING num`, string(w), cursor).Scan(&r.num)
	if err != nil {
		return 0, fmt.Errorf("add workspace: %w", err)
	}
	for _, c := range collections() {
		table := wordsTable(r.num, c)
		_, err := tx.ExecContext(ctx, `CREATE VIRTUAL TABLE `+table+` USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2');
			INSERT INTO `+table+` (`+table+`, rank) VALUES ('secure-delete', 1)`)
		if err != nil {
			return 0, fmt.Errorf("create full-text index: %w", err)
		}
	}
	return r.num, nil
}

// Reset implements vectorstore.Writer.
func (s *Store) Reset(ctx context.Context, w domain.WorkspaceID) error {
	err := s.db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := findRoom(ctx, tx, w)
		if err != nil || r.num == 0 {
			return err
		}
		for _, c := range collections() {
			if _, err := tx.ExecContext(ctx, `DROP TABLE `+wordsTable(r.num, c)); err != nil {
				return err
			}
		}
		for _, table := range []string{"points", "vectors", "removed"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE workspace = ?`, r.num); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM workspaces WHERE num = ?`, r.num)
		return err
	})
	if err != nil {
		return fmt.Errorf("reset search index: %w", err)
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
