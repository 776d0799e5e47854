package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// SaveText replaces a document's text. The error is NotFound when the document
// is gone.
func (l *Ledger) SaveText(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, t domain.Text) error {
	return l.tx(ctx, "save text", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		return l.SaveTextTx(ctx, tx, ws, id, t)
	})
}

// SaveTextTx does what SaveText does within the transaction of UpdateDocumentTx.
func (l *Ledger) SaveTextTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, t domain.Text) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO texts (workspace_id, document_id, title, content, pages, headings, warnings)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, document_id) DO UPDATE SET
		title = excluded.title, content = excluded.content, pages = excluded.pages,
		headings = excluded.headings, warnings = excluded.warnings`,
		ws, id, t.Title, t.Content, column{t.Pages}, column{t.Headings}, column{t.Warnings})
	if err != nil {
		return err
	}
	return forgetForms(ctx, tx, ws, id)
}

// Text returns a document's text, or an error of kind NotFound when none is
// stored yet.
func (l *Ledger) Text(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (domain.Text, error) {
	var t domain.Text
	err := l.reader.QueryRowContext(ctx,
		`SELECT title, content, pages, headings, warnings FROM texts WHERE workspace_id = ? AND document_id = ?`, ws, id).
		Scan(&t.Title, &t.Content, column{&t.Pages}, column{&t.Headings}, column{&t.Warnings})
	if errors.Is(err, sql.ErrNoRows) {
		return t, domain.Errorf(domain.NotFound, "There is no text of document %s here: it has not been read yet, or it was deleted.", id)
	}
	return t, l.wrap("read text", err)
}

// Headings returns the headings of documents, of those that have a text.
func (l *Ledger) Headings(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]domain.Heading, error) {
	all := make(map[domain.DocumentID][]domain.Heading, len(documents))
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var headings []domain.Heading
		err := rows.Scan(&id, column{&headings})
		all[id] = headings
		return err
	}, `SELECT document_id, headings FROM texts WHERE workspace_id = ? AND document_id IN (%s)`, []any{ws}, documents)
	return all, l.wrap("read headings", err)
}
