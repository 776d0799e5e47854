package embedded

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlite/projected"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Apply implements vectorstore.Writer.
func (s *Store) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	return s.file.Apply(ctx, w, b.After, b.Cursor, func(to *projected.Batch) {
		if to.New {
			createWords(to)
		}
		(&batch{Batch: to, sizes: map[vectorstore.Collection]int{}}).apply(b)
	})
}

// createWords makes a workspace's full-text tables.
func createWords(b *projected.Batch) {
	for _, c := range collections() {
		table := wordsTable(b.Num, c)
		b.Exec(`CREATE VIRTUAL TABLE ` + table + ` USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2')`)
		b.Exec(`INSERT INTO ` + table + ` (` + table + `, rank) VALUES ('secure-delete', 1)`)
	}
}

// Reset implements vectorstore.Writer.
func (s *Store) Reset(ctx context.Context, w domain.WorkspaceID) error {
	return s.file.Reset(ctx, w, func(b *projected.Batch) {
		for _, c := range collections() {
			b.Exec(`DROP TABLE ` + wordsTable(b.Num, c))
		}
		for _, table := range []string{"points", "vectors", "removed"} {
			b.Exec(`DELETE FROM `+table+` WHERE workspace = ?`, b.Num)
		}
	})
}
