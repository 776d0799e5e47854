package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A TagCount is a tag with the number of its documents.
type TagCount struct {
	Tag   string
	Count int
}

// SetTags replaces a document's tags. The error is NotFound when there is no
// such document.
func (l *Ledger) SetTags(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, tags []string) error {
	return l.tx(ctx, "tag a document", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM document_tags WHERE workspace_id = ? AND document_id = ?`, ws, id); err != nil {
			return err
		}
		for _, tag := range tags {
			_, err := tx.ExecContext(ctx, `INSERT INTO document_tags (workspace_id, tag, document_id) VALUES (?, ?, ?)
				ON CONFLICT (workspace_id, tag, document_id) DO NOTHING`, ws, tag, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Tags lists the tags of a workspace, sorted.
func (l *Ledger) Tags(ctx context.Context, ws domain.WorkspaceID) ([]TagCount, error) {
	all, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (t TagCount, err error) {
		return t, rows.Scan(&t.Tag, &t.Count)
	}, `SELECT t.tag, COUNT(*) FROM document_tags t JOIN documents d ON d.workspace_id = t.workspace_id AND d.id = t.document_id
		WHERE t.workspace_id = ? AND d.delete_at = 0 GROUP BY t.tag ORDER BY t.tag`, ws)
	return all, l.wrap("list tags", err)
}

// TagsOf lists a document's tags, sorted.
func (l *Ledger) TagsOf(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]string, error) {
	tags, err := sqlio.Collect(ctx, l.reader, sqlio.Column[string],
		`SELECT tag FROM document_tags WHERE workspace_id = ? AND document_id = ? ORDER BY tag`, ws, id)
	return tags, l.wrap("list tags", err)
}

// TagsOfAll returns the tags of documents, each sorted.
func (l *Ledger) TagsOfAll(ctx context.Context, ws domain.WorkspaceID, docs []domain.Document) (map[domain.DocumentID][]string, error) {
	ids := make([]domain.DocumentID, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	tags := map[domain.DocumentID][]string{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var tag string
		err := rows.Scan(&id, &tag)
		tags[id] = append(tags[id], tag)
		return err
	}, `SELECT document_id, tag FROM document_tags WHERE workspace_id = ? AND document_id IN (%s) ORDER BY document_id, tag`, []any{ws}, ids)
	return tags, l.wrap("list tags", err)
}

// TagDocuments gives tags to the documents that a query selects, and takes others from them.
func (l *Ledger) TagDocuments(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery, add, remove []string) error {
	cond, args := dq.where(ws)
	return l.tx(ctx, "tag documents", func(tx *sql.Tx, _ time.Time) error {
		for _, tag := range add {
			_, err := tx.ExecContext(ctx, `INSERT INTO document_tags (workspace_id, tag, document_id) SELECT workspace_id, CAST(? AS TEXT), id FROM documents WHERE `+cond+`
				ON CONFLICT (workspace_id, tag, document_id) DO NOTHING`, append([]any{tag}, args...)...)
			if err != nil {
				return err
			}
		}
		for _, tag := range remove {
			_, err := tx.ExecContext(ctx, `DELETE FROM document_tags WHERE workspace_id = ? AND tag = ? AND document_id IN (SELECT id FROM documents WHERE `+cond+`)`,
				append([]any{ws, tag}, args...)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
