package embedded

import (
	"context"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Apply implements vectorstore.Writer.
func (x *index) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	move := projected.Move{Token: b.Token, After: b.After, Cursor: b.Cursor}
	return x.file.Apply(ctx, x.room(w), move, func(to *projected.Batch) { x.write(to, b) })
}

func (x *index) write(to *projected.Batch, b vectorstore.Batch) {
	if to.New {
		createWords(to)
	}
	x.adopt(to, b.Upsert)
	(&batch{Batch: to, sizes: map[vectorstore.Collection]int{}}).apply(b)
}

// wordsPage is the size of a page of the full-text tables, in bytes. To overwrite a
// deleted word, FTS5 walks through up to four pages of the word's list, and writes
// one; its default of 4,050 makes that twice as long.
const wordsPage = "512"

// wordsSegments is from how many segments of a level on FTS5 merges them at once. A
// deleted word is looked up in every segment for each row that held it. FTS5's own 16
// is meant for when it falls behind merging a little with each transaction, which it
// does where documents come one by one: each leaves a segment.
const wordsSegments = "4"

// createWords creates a workspace's full-text tables.
func createWords(b *projected.Batch) {
	for _, c := range vectorstore.Collections() {
		table := wordsTable(b.Num, c)
		b.Exec(`CREATE VIRTUAL TABLE ` + table + ` USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2')`)
		b.Exec(`INSERT INTO ` + table + ` (` + table + `, rank) VALUES ('secure-delete', 1), ('pgsz', ` + wordsPage + `), ('crisismerge', ` + wordsSegments + `)`)
	}
}

// Reset implements vectorstore.Writer.
func (x *index) Reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	return x.file.Reset(ctx, x.room(w), token, func(b *projected.Batch) { empty(b, b.Num) })
}

// Claim implements vectorstore.Store.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	return s.file.Claim(ctx, s.room(w), owner, takeOver, func(b *projected.Batch) { empty(b, b.Num) })
}

// empty deletes the rows of one workspace.
func empty(b *projected.Batch, num int64) {
	for _, c := range vectorstore.Collections() {
		b.Exec(`DROP TABLE ` + wordsTable(num, c))
	}
	for _, table := range []string{"points", "vectors", "removed"} {
		b.Exec(`DELETE FROM `+table+` WHERE workspace = ?`, num)
	}
}
