package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A TitleRow holds the title and name of a published document. A graph has no
// title: its file's name says nothing about what it names.
type TitleRow struct {
	Document domain.DocumentID
	Title    string
	Stated   string // the title if the document states it, "" if it comes from the file's name
	Name     string // of its file
}

// titleColumns are what scanTitle reads of documents d.
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
func (l *Ledger) TitlesOf(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]TitleRow, error) {
	titles, err := collectIn(ctx, l.reader, scanTitle,
		`SELECT `+titleColumns+` FROM documents d WHERE d.workspace_id = ? AND d.published = 1 AND d.id IN (%s)`, []any{ws}, documents)
	return titles, l.wrap("read titles", err)
}

// StatedTitle returns the title that a document states, "" if its title comes from the
// name of its file.
func (l *Ledger) StatedTitle(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (string, error) {
	var title string
	err := l.reader.QueryRowContext(ctx, `SELECT title FROM texts WHERE workspace_id = ? AND document_id = ?`, ws, id).Scan(&title)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return title, l.wrap("read a title", err)
}

// A TitleForm is a form of a title: its key as a name, and two of its words, 0
// for a form that is not looked for in texts.
type TitleForm struct {
	Key   string
	Words Words
}

// forgetForms has IndexTitles read the title of a document again.
func forgetForms(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	_, err := tx.ExecContext(ctx, `UPDATE documents SET titled = 0 WHERE workspace_id = ? AND id = ? AND titled <> 0`, ws, id)
	return err
}

// IndexTitles adds the titles of published documents to the index behind
// TitlesByKey and TitlesIn, as far as they are missing. forms must be a pure
// function that never changes.
func (l *Ledger) IndexTitles(ctx context.Context, ws domain.WorkspaceID, forms func(TitleRow) []TitleForm) error {
	for {
		part, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.DocumentID], `SELECT d.id `+unreadTitles+` LIMIT ?`, ws, batch)
		if err != nil || len(part) == 0 {
			return l.wrap("read titles", err)
		}
		err = l.tx(ctx, "note titles", func(tx *sql.Tx, _ time.Time) error {
			rows, err := collectIn(ctx, tx, scanTitle, `SELECT `+titleColumns+` `+unreadTitles+` AND d.id IN (%s) ORDER BY d.id`+l.lock.Changing, []any{ws}, part)
			if err != nil {
				return err
			}
			return noteTitles(ctx, tx, ws, rows, forms)
		})
		if err != nil {
			return err
		}
	}
}

const unreadTitles = `FROM documents d WHERE d.workspace_id = ? AND d.titled = 0 AND d.published = 1`

func noteTitles(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, titles []TitleRow, forms func(TitleRow) []TitleForm) error {
	var rows [][]any
	for _, t := range titles {
		if _, err := tx.ExecContext(ctx, `DELETE FROM title_forms WHERE workspace_id = ? AND document_id = ?`, ws, t.Document); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE documents SET titled = 1 WHERE workspace_id = ? AND id = ?`, ws, t.Document); err != nil {
			return err
		}
		for _, f := range forms(t) {
			rows = append(rows, []any{ws, t.Document, f.Key, f.Words})
		}
	}
	return insert(ctx, tx, `INSERT INTO title_forms (workspace_id, document_id, entity_key, words)`, rows, `ON CONFLICT DO NOTHING`)
}

// TitlesByKey lists the titles of published documents that are indexed under one
// of the keys, and those that are not indexed yet. Some may come more than once.
func (l *Ledger) TitlesByKey(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]TitleRow, error) {
	return titlesBy(ctx, l, ws, "entity_key", keys)
}

// TitlesIn lists the titles of published documents that are indexed under some
// of the words, and those that are not indexed yet. Some may come more than once.
func (l *Ledger) TitlesIn(ctx context.Context, ws domain.WorkspaceID, words []Words) ([]TitleRow, error) {
	return titlesBy(ctx, l, ws, "words", words)
}

func titlesBy[V any](ctx context.Context, l *Ledger, ws domain.WorkspaceID, column string, values []V) ([]TitleRow, error) {
	// Unindexed titles first: one that is indexed meanwhile is found twice, not never.
	unread, err := sqlio.Collect(ctx, l.reader, scanTitle, `SELECT `+titleColumns+` `+unreadTitles, ws)
	if err != nil {
		return nil, l.wrap("read titles", err)
	}
	noted, err := collectIn(ctx, l.reader, scanTitle, `SELECT `+titleColumns+` FROM title_forms f
		JOIN documents d ON d.workspace_id = f.workspace_id AND d.id = f.document_id
		WHERE f.workspace_id = ? AND d.published = 1 AND f.`+column+` IN (%s)`, []any{ws}, values)
	return append(unread, noted...), l.wrap("look titles up", err)
}
