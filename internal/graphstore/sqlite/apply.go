package sqlite

import (
	"context"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Apply implements graphstore.Writer.
func (s *Store) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	return s.file.Apply(ctx, w, projected.Move{Token: b.Token, After: b.After, Cursor: b.Cursor}, func(to *projected.Batch) {
		(&batch{Batch: to, chunks: map[domain.ChunkID]int64{}}).apply(b)
	})
}

// Reset implements graphstore.Writer.
func (s *Store) Reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	return s.file.Reset(ctx, w, token, empty)
}

// Claim implements graphstore.Store.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	return s.file.Claim(ctx, w, owner, takeOver, empty)
}

// empty deletes the rows of a workspace.
func empty(b *projected.Batch) {
	b.Exec(`DELETE FROM entity_words WHERE rowid IN (SELECT num FROM entities WHERE workspace = ?)`, b.Num)
	for _, table := range []string{"documents", "notes", "chunks", "links", "entity_keys", "entities", "relations"} {
		b.Exec(`DELETE FROM `+table+` WHERE workspace = ?`, b.Num)
	}
}

type batch struct {
	*projected.Batch
	chunks map[domain.ChunkID]int64 // row numbers looked up so far; 0 if there is none
}

func (b *batch) apply(in graphstore.Batch) {
	for _, id := range in.DeleteDocuments {
		b.deleteDocument(id)
	}
	b.deleteEntities(in.DeleteEntities)
	for _, r := range in.DeleteRelations {
		b.Exec(`DELETE FROM relations WHERE workspace = ? AND id = ?`, b.Num, string(r.ID))
	}
	for _, d := range in.Documents {
		b.putDocument(d)
	}
	b.putEntities(in.Entities)
	for _, r := range in.Relations {
		b.putRelation(r)
	}
}
