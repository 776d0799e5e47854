package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

var _ vectorstore.Build = (*build)(nil)

// build is an index in the same file whose workspaces have other names until it
// is switched to.
type build struct {
	*index
}

// Build implements vectorstore.Store.
func (s *Store) Build(ctx context.Context, e vectorstore.Embedding) (vectorstore.Build, error) {
	err := s.file.Change(ctx, func(b *projected.Batch) {
		var begun string
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&begun) }, findModel, string(building))
		size := 0
		b.Each(func(rows *sql.Rows) error { return rows.Scan(&size) }, anyVector, building.args()...)
		if begun == e.Model && (size == 0 || size == 4*e.Dimension) {
			return
		}
		remove(b, building)
		if e.Model != "" {
			b.Exec(`INSERT INTO models (place, model) VALUES (?, ?)`, string(building), e.Model)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("begin to build: %w", err)
	}
	return &build{newIndex(s.file, building, e.Model)}, nil
}

// remove deletes all workspaces of the live index or of the build.
func remove(b *projected.Batch, p slot) {
	var nums []int64
	b.Each(func(rows *sql.Rows) error {
		var num int64
		err := rows.Scan(&num)
		nums = append(nums, num)
		return err
	}, `SELECT num FROM workspaces WHERE instr(id, ?) = ? ORDER BY num`, p.args()...)
	for _, num := range nums {
		b.Forget()
		empty(b, num)
		b.Exec(`DELETE FROM workspaces WHERE num = ?`, num)
	}
	b.Exec(`DELETE FROM models WHERE place = ?`, string(p))
}

// Switch implements vectorstore.Build. The workspaces of the build get the names
// of the live ones. Copies in memory are stale because the numbers differ.
func (x *build) Switch(ctx context.Context) error {
	err := x.file.Change(ctx, func(b *projected.Batch) {
		remove(b, live)
		b.Exec(`UPDATE workspaces SET id = substr(id, ?)`, len(building)+1)
		b.Exec(`UPDATE models SET place = ''`)
		b.Exec(`INSERT INTO moves (workspace, token, after, cursor)
			SELECT substr(workspace, ?), token, after, cursor FROM moves WHERE instr(workspace, ?) = 1
			ON CONFLICT (workspace) DO UPDATE SET token = max(moves.token, excluded.token), after = excluded.after, cursor = excluded.cursor`,
			len(building)+1, string(building))
	})
	if err != nil {
		return fmt.Errorf("switch to the build: %w", err)
	}
	return nil
}

// Discard implements vectorstore.Build.
func (x *build) Discard(ctx context.Context) error {
	err := x.file.Change(ctx, func(b *projected.Batch) { remove(b, building) })
	if err != nil {
		return fmt.Errorf("discard the build: %w", err)
	}
	return nil
}
