package ledger

import (
	"context"
	"database/sql"
	"math/bits"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
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
func (l ChunkStore) IndexChunks(ctx context.Context, ws domain.WorkspaceID, words func(text string) []Words) error {
	doubled := false
	err := indexAll(ctx, l.store, sqlio.Column[domain.ChunkID], `SELECT c.id`+unreadChunks+` LIMIT ?`, ws, func(tx *sql.Tx, ids []domain.ChunkID) error {
		slices.Sort(ids)
		chunks, err := collectIn(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunks c WHERE c.workspace_id = ? AND c.number IS NULL AND c.id IN (%s) ORDER BY c.id`+l.lock.Changing, []any{ws}, ids)
		if err != nil {
			return err
		}
		if err := sqlio.Exec(ctx, tx, `SELECT id FROM workspaces WHERE id = ?`+l.lock.Changing, ws); err != nil {
			return err // so that each number is given only once
		}
		number, err := sqlio.Value[int64](ctx, tx, `SELECT number FROM chunks WHERE workspace_id = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1`, ws)
		if err != nil {
			return err
		}
		doubled = doubled || bits.Len64(uint64(number)) < bits.Len64(uint64(number)+uint64(len(chunks)))
		var rows [][]any
		for _, c := range chunks {
			number++
			if err := sqlio.Exec(ctx, tx, `UPDATE chunks SET number = ? WHERE workspace_id = ? AND id = ?`, number, ws, c.ID); err != nil {
				return err
			}
			for _, w := range words(c.Text) {
				rows = append(rows, []any{ws, w, number})
			}
		}
		return sqlio.InsertRows(ctx, tx, `INSERT INTO chunk_words (workspace_id, words, chunk)`, rows, `ON CONFLICT DO NOTHING`)
	})
	if err != nil || !doubled || !l.lock.Postgres {
		return err
	}
	// Postgres counts rows only once a minute. Until then it takes the tables of a young library for
	// nearly empty, and joins each row of one with each row of another.
	_, err = l.writer.ExecContext(ctx, `ANALYZE documents, texts, chunks, chunk_words, title_forms, contributions, mentions, statements, changes, runs, run_documents, events, threads, checkpoints`)
	return l.wrap("count rows", err)
}

const unreadChunks = ` FROM chunks c JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
	WHERE c.workspace_id = ? AND c.number IS NULL AND d.published = 1`

// indexAll calls index, in a transaction each time, with what query finds of a workspace
// and does not find any more afterwards, until it finds no more than that.
func indexAll[T any](ctx context.Context, l *store, scan func(*sql.Rows) (T, error), query string, ws domain.WorkspaceID, index func(*sql.Tx, []T) error) error {
	for {
		part, err := list(ctx, l, "look for what is not indexed", scan, query, ws, batch)
		if err != nil || len(part) == 0 {
			return err
		}
		err = l.tx(ctx, "index words", func(tx *sql.Tx, _ time.Time) error { return index(tx, part) })
		if err != nil || len(part) < batch {
			return err
		}
	}
}

// ChunksHolding returns, each once, the chunks of published documents that are
// indexed under some of the words, and those that are not indexed yet.
func (l ChunkStore) ChunksHolding(ctx context.Context, ws domain.WorkspaceID, words []Words) ([]domain.ChunkID, error) {
	// Unindexed chunks first: a chunk that is indexed meanwhile is found twice rather than never.
	found, err := list(ctx, l, "read chunks", sqlio.Column[domain.ChunkID], `SELECT c.id`+unreadChunks, ws)
	if err != nil {
		return nil, err
	}
	const noted = `SELECT c.id FROM chunk_words w JOIN chunks c ON c.workspace_id = w.workspace_id AND c.number = w.chunk WHERE w.workspace_id = ? AND w.words `
	var pairs []Words
	for _, w := range words {
		if !w.alone() {
			pairs = append(pairs, w)
			continue
		}
		some, err := list(ctx, l, "look words up", sqlio.Column[domain.ChunkID], noted+`BETWEEN ? AND ?`, ws, w, w.last())
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	some, err := listIn(ctx, l, "look words up", sqlio.Column[domain.ChunkID], noted+`IN (%s)`, []any{ws}, pairs)
	return distinct(append(found, some...)), err
}

// A TitleRow holds the title and name of a published document. A graph has no
// title: its file's name says nothing about what it names.
type TitleRow struct {
	Document domain.DocumentID
	Title    string
	Stated   string // the title if the document states it; "" if it comes from the file's name
	Name     string // of its file
}

// titleColumns are the columns of documents d that scanTitle reads.
const titleColumns = `d.id, d.title, COALESCE((SELECT t.title FROM texts t WHERE t.workspace_id = d.workspace_id AND t.document_id = d.id), ''), d.name, d.format`

func scanTitle(rows *sql.Rows) (t TitleRow, err error) {
	var format domain.Format
	err = rows.Scan(&t.Document, &t.Title, &t.Stated, &t.Name, &format)
	if format == domain.FormatGraph {
		t.Title, t.Stated = "", ""
	}
	return t, err
}

// TitlesOf returns the titles of the given documents that are published.
func (l ChunkStore) TitlesOf(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]TitleRow, error) {
	return listIn(ctx, l, "read titles", scanTitle,
		`SELECT `+titleColumns+` FROM documents d WHERE d.workspace_id = ? AND d.published = 1 AND d.id IN (%s)`, []any{ws}, documents)
}

// StatedTitle returns the title that a document states, or "" if its title comes from the name of its file.
func (l ChunkStore) StatedTitle(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (string, error) {
	return one[string](ctx, l, "read a title", `SELECT title FROM texts WHERE workspace_id = ? AND document_id = ?`, ws, id)
}

// A TitleForm is a form of a title: its key as a name, and two of its words, 0
// for a form that is not looked for in texts.
type TitleForm struct {
	Key   string
	Words Words
}

// forgetForms has IndexTitles read the title of a document again.
func forgetForms(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	return sqlio.Exec(ctx, tx, `UPDATE documents SET titled = 0 WHERE workspace_id = ? AND id = ? AND titled <> 0`, ws, id)
}

// IndexTitles adds the titles of published documents to the index behind
// TitlesByKey and TitlesIn, as far as they are missing. forms must be a pure
// function that never changes.
func (l ChunkStore) IndexTitles(ctx context.Context, ws domain.WorkspaceID, forms func(TitleRow) []TitleForm) error {
	return indexAll(ctx, l.store, sqlio.Column[domain.DocumentID], `SELECT d.id `+unreadTitles+` LIMIT ?`, ws, func(tx *sql.Tx, ids []domain.DocumentID) error {
		titles, err := collectIn(ctx, tx, scanTitle, `SELECT `+titleColumns+` `+unreadTitles+` AND d.id IN (%s) ORDER BY d.id`+l.lock.Changing, []any{ws}, ids)
		if err != nil {
			return err
		}
		var rows [][]any
		for _, t := range titles {
			err := sqlio.ExecAll(ctx, tx, []any{ws, t.Document}, `DELETE FROM title_forms WHERE workspace_id = ? AND document_id = ?`, `UPDATE documents SET titled = 1 WHERE workspace_id = ? AND id = ?`)
			if err != nil {
				return err
			}
			for _, f := range forms(t) {
				rows = append(rows, []any{ws, t.Document, f.Key, f.Words})
			}
		}
		return sqlio.InsertRows(ctx, tx, `INSERT INTO title_forms (workspace_id, document_id, entity_key, words)`, rows, `ON CONFLICT DO NOTHING`)
	})
}

const unreadTitles = `FROM documents d WHERE d.workspace_id = ? AND d.titled = 0 AND d.published = 1`

// TitlesByKey lists the titles of published documents that are indexed under one
// of the keys, and those that are not indexed yet. Some may come more than once.
func (l ChunkStore) TitlesByKey(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]TitleRow, error) {
	return titlesBy(ctx, l, ws, "entity_key", keys)
}

// TitlesIn lists the titles of published documents that are indexed under some
// of the words, and those that are not indexed yet. Some may come more than once.
func (l ChunkStore) TitlesIn(ctx context.Context, ws domain.WorkspaceID, words []Words) ([]TitleRow, error) {
	return titlesBy(ctx, l, ws, "words", words)
}

func titlesBy[V any](ctx context.Context, l based, ws domain.WorkspaceID, column string, values []V) ([]TitleRow, error) {
	return listIn(ctx, l, "look titles up", scanTitle, `SELECT `+titleColumns+` `+unreadTitles+` UNION ALL SELECT `+titleColumns+` FROM title_forms f
		JOIN documents d ON d.workspace_id = f.workspace_id AND d.id = f.document_id
		WHERE f.workspace_id = ? AND d.published = 1 AND f.`+column+` IN (%s)`, []any{ws, ws}, values)
}
