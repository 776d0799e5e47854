package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

const chunkColumns = `c.id, c.document_id, c.ordinal, c.span_start, c.span_end, c.page, c.headings, c.text, c.tokens, c.places`

// SaveChunks replaces a document's chunks. A chunk whose id, span and text stay
// the same keeps its contribution; the spans of any other would no longer fit.
func (l *Ledger) SaveChunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, chunks []domain.Chunk) error {
	return l.tx(ctx, "save chunks", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		if err := dropChunks(ctx, tx, ws, id, chunks); err != nil {
			return err
		}
		return upsertChunks(ctx, tx, ws, id, chunks)
	})
}

// dropChunks removes the stored chunks that differ from those in keep, with their
// contributions.
func dropChunks(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, keep []domain.Chunk) error {
	kept := make(map[domain.ChunkID]domain.Chunk, len(keep))
	for _, c := range keep {
		kept[c.ID] = c
	}
	stored, err := sqlio.Collect(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunks c WHERE c.workspace_id = ? AND c.document_id = ?`, ws, id)
	if err != nil {
		return err
	}
	for _, c := range stored {
		if k, ok := kept[c.ID]; ok && k.Span == c.Span && k.Text == c.Text {
			continue
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM chunks WHERE workspace_id = ? AND id = ?`, ws, c.ID); err != nil {
			return err
		}
	}
	return nil
}

func upsertChunks(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, chunks []domain.Chunk) error {
	rows := make([][]any, len(chunks))
	for i, c := range chunks {
		rows[i] = []any{ws, c.ID, id, c.Ordinal, c.Span.Start, c.Span.End, c.Page, column{c.Headings}, c.Text, c.Tokens, column{c.Places}}
	}
	return insert(ctx, tx, `INSERT INTO chunks
		(workspace_id, id, document_id, ordinal, span_start, span_end, page, headings, text, tokens, places)`, rows,
		`ON CONFLICT (workspace_id, id) DO UPDATE SET ordinal = excluded.ordinal, page = excluded.page,
		headings = excluded.headings, text = excluded.text, tokens = excluded.tokens, places = excluded.places
		WHERE chunks.document_id = excluded.document_id`)
}

func scanChunk(rows *sql.Rows) (c domain.Chunk, err error) {
	return c, rows.Scan(chunkFields(&c)...)
}

func chunkFields(c *domain.Chunk) []any {
	return []any{&c.ID, &c.Document, &c.Ordinal, &c.Span.Start, &c.Span.End, &c.Page, column{&c.Headings}, &c.Text, &c.Tokens, column{&c.Places}}
}

// Chunks lists a document's chunks in reading order.
func (l *Ledger) Chunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error) {
	chunks, err := sqlio.Collect(ctx, l.reader, scanChunk,
		`SELECT `+chunkColumns+` FROM chunks c WHERE c.workspace_id = ? AND c.document_id = ? ORDER BY c.ordinal`, ws, id)
	return chunks, l.wrap("read chunks", err)
}
