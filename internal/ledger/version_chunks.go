package ledger

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// moveChunks gives a document the chunks of its next version, with what was mined
// from them.
func moveChunks(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of, id domain.DocumentID) error {
	const chunksOf = `SELECT ` + chunkColumns + ` FROM chunks c WHERE c.workspace_id = ? AND c.document_id = ? ORDER BY c.ordinal`
	before, err := sqlio.Collect(ctx, tx, scanChunk, chunksOf, ws, of)
	if err != nil {
		return err
	}
	next, err := sqlio.Collect(ctx, tx, scanChunk, chunksOf, ws, id)
	if err != nil {
		return err
	}
	kept := map[domain.ChunkID]domain.Chunk{}
	for _, c := range next {
		kept[c.ID] = c
	}
	moved := map[domain.ChunkID]int{}
	for _, c := range before {
		to, stays := kept[domain.NewKeptChunkID(id, c.ID)]
		if !stays {
			if err := deleteChunk(ctx, tx, ws, c.ID); err != nil {
				return err
			}
			continue
		}
		moved[c.ID] = to.Span.Start - c.Span.Start
		if err := keepChunk(ctx, tx, ws, c.ID, to); err != nil {
			return fmt.Errorf("keep chunk %d: %w", c.Ordinal+1, err)
		}
	}
	for _, table := range []string{"chunks", "contributions", "dropped"} {
		if _, err := tx.ExecContext(ctx, `UPDATE `+table+` SET document_id = ? WHERE workspace_id = ? AND document_id = ?`, of, ws, id); err != nil {
			return err
		}
	}
	return moveStretches(ctx, tx, ws, moved)
}

func deleteChunk(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ChunkID) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM chunks WHERE workspace_id = ? AND id = ?`, ws, id)
	return err
}

// keepChunk puts a chunk whose text stays where it stands in the next version. What
// was mined from it there replaces what it had.
func keepChunk(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ChunkID, to domain.Chunk) error {
	_, err := tx.ExecContext(ctx, `UPDATE chunks SET ordinal = ?, span_start = ?, span_end = ?, page = ?, headings = ?, tokens = ?, places = ?
		WHERE workspace_id = ? AND id = ?`, to.Ordinal, to.Span.Start, to.Span.End, to.Page, column{to.Headings}, to.Tokens, column{to.Places}, ws, id)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM contributions WHERE workspace_id = ? AND chunk_id = ?`, ws, id); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO contributions (workspace_id, chunk_id, `+contributionColumns+`)
		SELECT workspace_id, ?, `+contributionColumns+` FROM contributions WHERE workspace_id = ? AND chunk_id = ?`, id, ws, to.ID)
	if err != nil {
		return err
	}
	for _, table := range []string{"mentions", "statements", "dropped"} { // rows move whole, whatever columns they have
		if _, err := tx.ExecContext(ctx, `UPDATE `+table+` SET chunk_id = ? WHERE workspace_id = ? AND chunk_id = ?`, id, ws, to.ID); err != nil {
			return err
		}
	}
	return deleteChunk(ctx, tx, ws, to.ID)
}

// moveStretches moves what curators marked in chunks by so many code points.
func moveStretches(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, moved map[domain.ChunkID]int) error {
	entries, err := sqlio.Collect(ctx, tx, scanCuration, `SELECT `+curationColumns+` FROM curations
		WHERE workspace_id = ? AND kind IN (?, ?)`, ws, CurationCreate, CurationRelate)
	if err != nil {
		return err
	}
	for _, c := range entries {
		by := moved[c.Stretch.Chunk]
		if by == 0 {
			continue
		}
		c.Stretch.Span = c.Stretch.Span.Shift(by)
		_, err := tx.ExecContext(ctx, `UPDATE curations SET operation = ? WHERE workspace_id = ? AND seq = ?`, column{c.Operation}, ws, c.Seq)
		if err != nil {
			return err
		}
	}
	return nil
}
