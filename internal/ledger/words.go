package ledger

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Words stands for two consecutive words of a text: the hash of the first in the
// upper 32 bits, that of the second in the lower. A lower half of 0 stands for
// any second word.
type Words int64

// First returns the first word followed by any other.
func (w Words) First() Words { return w &^ (1<<32 - 1) }

// last returns the highest value with the same first word.
func (w Words) last() Words { return w | (1<<32 - 1) }

// alone reports whether any second word matches.
func (w Words) alone() bool { return w == w.First() }

// IndexChunks adds the chunks of published documents to the index behind
// ChunksHolding, as far as they are missing. words returns the words of a text to
// index; it must be a pure function that never changes.
func (l *Ledger) IndexChunks(ctx context.Context, ws domain.WorkspaceID, words func(text string) []Words) error {
	for {
		part, err := sqlio.Collect(ctx, l.reader, scanChunk, `SELECT `+chunkColumns+unreadChunks+` LIMIT ?`, ws, batch)
		if err != nil || len(part) == 0 {
			return l.wrap("read chunks", err)
		}
		err = l.tx(ctx, "note the words of chunks", func(tx *sql.Tx, _ time.Time) error {
			open, err := l.holdUnread(ctx, tx, ws, part)
			if err != nil {
				return err
			}
			return noteWords(ctx, tx, ws, open, words)
		})
		if err != nil {
			return err
		}
	}
}

const unreadChunks = ` FROM chunks c JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
	WHERE c.workspace_id = ? AND c.number IS NULL AND d.published = 1`

// holdUnread locks the chunks, and the workspace's row because chunks are about
// to be numbered. It returns the chunks that still exist and are not indexed.
func (l *Ledger) holdUnread(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, chunks []domain.Chunk) ([]domain.Chunk, error) {
	ids := make([]domain.ChunkID, len(chunks))
	for i, c := range chunks {
		ids[i] = c.ID
	}
	slices.Sort(ids)
	open, err := collectIn(ctx, tx, sqlio.Column[domain.ChunkID],
		`SELECT id FROM chunks WHERE workspace_id = ? AND number IS NULL AND id IN (%s) ORDER BY id`+l.lock.Changing, []any{ws}, ids)
	if err != nil {
		return nil, err
	}
	_, err = sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT id FROM workspaces WHERE id = ?`+l.lock.Changing, ws)
	return slices.DeleteFunc(chunks, func(c domain.Chunk) bool {
		_, ok := slices.BinarySearch(open, c.ID)
		return !ok
	}), err
}

func noteWords(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, chunks []domain.Chunk, words func(string) []Words) error {
	var number int64
	err := tx.QueryRowContext(ctx, `SELECT COALESCE((SELECT number FROM chunks
		WHERE workspace_id = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1), 0)`, ws).Scan(&number)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range chunks {
		number++
		if _, err := tx.ExecContext(ctx, `UPDATE chunks SET number = ? WHERE workspace_id = ? AND id = ?`, number, ws, c.ID); err != nil {
			return err
		}
		for _, w := range words(c.Text) {
			rows = append(rows, []any{ws, w, number})
		}
	}
	return insert(ctx, tx, `INSERT INTO chunk_words (workspace_id, words, chunk)`, rows, `ON CONFLICT DO NOTHING`)
}

// ChunksHolding returns, each once, the chunks of published documents that are
// indexed under some of the words, and those that are not indexed yet.
func (l *Ledger) ChunksHolding(ctx context.Context, ws domain.WorkspaceID, words []Words) ([]domain.ChunkID, error) {
	// Unindexed chunks first: one that is indexed meanwhile is found twice, not never.
	found, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.ChunkID], `SELECT c.id`+unreadChunks, ws)
	if err != nil {
		return nil, l.wrap("read chunks", err)
	}
	const noted = `SELECT c.id FROM chunk_words w JOIN chunks c ON c.workspace_id = w.workspace_id AND c.number = w.chunk WHERE w.workspace_id = ? AND w.words `
	var pairs []Words
	for _, w := range words {
		if !w.alone() {
			pairs = append(pairs, w)
			continue
		}
		some, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.ChunkID], noted+`BETWEEN ? AND ?`, ws, w, w.last())
		if err != nil {
			return nil, l.wrap("look words up", err)
		}
		found = append(found, some...)
	}
	some, err := collectIn(ctx, l.reader, sqlio.Column[domain.ChunkID], noted+`IN (%s)`, []any{ws}, pairs)
	return distinct(append(found, some...)), l.wrap("look words up", err)
}
