package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// TitleRow is what a published document is called.
type TitleRow struct {
	Document domain.DocumentID
	Title    string
	Name     string // of its file
}

func scanTitle(rows *sql.Rows) (t TitleRow, err error) {
	return t, rows.Scan(&t.Document, &t.Title, &t.Name)
}

// TitlesOf lists the titles of those of documents that are published.
func (l *Ledger) TitlesOf(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]TitleRow, error) {
	titles, err := collectIn(ctx, l.reader, scanTitle,
		`SELECT id, title, name FROM documents WHERE workspace_id = ? AND published = 1 AND id IN (%s)`, []any{ws}, documents)
	return titles, l.wrap("read titles", err)
}

// TitleForm is a form of a title: the key of the name that it is, and some of
// its words, 0 for one that no text is searched for.
type TitleForm struct {
	Key   string
	Words Words
}

// IndexTitles notes the forms of published documents' titles, as far as that
// is not done, for TitlesByKey and TitlesIn. forms is to be the same at all
// times.
func (l *Ledger) IndexTitles(ctx context.Context, ws domain.WorkspaceID, forms func(TitleRow) []TitleForm) error {
	for {
		part, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.DocumentID], `SELECT id `+unreadTitles+` LIMIT ?`, ws, batch)
		if err != nil || len(part) == 0 {
			return l.wrap("read titles", err)
		}
		err = l.tx(ctx, "note titles", func(tx *sql.Tx, _ time.Time) error {
			rows, err := collectIn(ctx, tx, scanTitle, `SELECT id, title, name `+unreadTitles+` AND id IN (%s) ORDER BY id`+l.lock.Changing, []any{ws}, part)
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

const unreadTitles = `FROM documents WHERE workspace_id = ? AND titled = 0 AND published = 1`

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

// TitlesByKey lists titles of published documents, among which are all that
// have one of keys: those that were noted under it, and those that have not
// been noted. Some may come more than once.
func (l *Ledger) TitlesByKey(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]TitleRow, error) {
	return titlesBy(ctx, l, ws, "entity_key", keys)
}

// TitlesIn lists titles of published documents, among which are all that may
// stand in a text that holds words: those that were noted under one of them,
// and those that have not been noted. Some may come more than once.
func (l *Ledger) TitlesIn(ctx context.Context, ws domain.WorkspaceID, words []Words) ([]TitleRow, error) {
	return titlesBy(ctx, l, ws, "words", words)
}

func titlesBy[V any](ctx context.Context, l *Ledger, ws domain.WorkspaceID, column string, values []V) ([]TitleRow, error) {
	// The unread come first: what is noted meanwhile is found twice, not never.
	unread, err := sqlio.Collect(ctx, l.reader, scanTitle, `SELECT id, title, name `+unreadTitles, ws)
	if err != nil {
		return nil, l.wrap("read titles", err)
	}
	noted, err := collectIn(ctx, l.reader, scanTitle, `SELECT d.id, d.title, d.name FROM title_forms f
		JOIN documents d ON d.workspace_id = f.workspace_id AND d.id = f.document_id
		WHERE f.workspace_id = ? AND d.published = 1 AND f.`+column+` IN (%s)`, []any{ws}, values)
	return append(unread, noted...), l.wrap("look titles up", err)
}
