package ledger

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// pictureTable is the table of the pictures of a document whose file has a name.
func pictureTable(ws domain.WorkspaceID, id domain.DocumentID, name string) sqlio.Table[domain.Picture] {
	return sqlio.Table[domain.Picture]{Name: "pictures", Row: func(p *domain.Picture) sqlio.Row {
		return sqlio.Row{
			"workspace_id key written", ws, "document_id key written", id, "number key", &p.Number, "name written", name, "hash", &p.Hash, "media", &p.Media, "width", &p.Width, "height", &p.Height,
			"page", &p.Page, "box", &p.Box, "span_start", &p.At.Start, "span_end", &p.At.End, "caption", &p.Caption, "alt", &p.Alt, "description", &p.Description, "model", &p.Model,
		}
	}}
}

// SavePictures replaces the pictures of a document within the transaction of UpdateDocument. Their bytes are kept elsewhere.
func (l DocumentStore) SavePictures(ctx context.Context, tx *sql.Tx, d domain.Document, all []domain.Picture) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM pictures WHERE workspace_id = ? AND document_id = ?`, d.Workspace, d.ID); err != nil || len(all) == 0 {
		return err
	}
	return pictureTable(d.Workspace, d.ID, d.Name).InsertAll(ctx, tx, all, "")
}

// Pictures lists the pictures of a document in the order of its text. It does not ask whether the person may read it.
func (l DocumentStore) Pictures(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]domain.Picture, error) {
	t := pictureTable(ws, id, "")
	return list(ctx, l, "list pictures", t.Scan, t.Select()+`WHERE workspace_id = ? AND document_id = ? ORDER BY number`, ws, id)
}

// PicturesNear lists the first n pictures of a document whose words stand in a passage that shares characters with a span, or
// that stand in one. It does not ask whether the person may read it.
func (l DocumentStore) PicturesNear(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, near domain.Span, n int) ([]domain.Picture, error) {
	t := pictureTable(ws, id, "")
	return list(ctx, l, "find pictures", t.Scan, t.Select()+`WHERE workspace_id = ? AND document_id = ? AND EXISTS (SELECT 1 FROM chunks c
		WHERE c.workspace_id = pictures.workspace_id AND c.document_id = pictures.document_id AND c.span_start < ? AND c.span_end > ?
		AND pictures.span_start <= c.span_end AND pictures.span_end >= c.span_start) ORDER BY number LIMIT ?`, ws, id, near.End, near.Start, n)
}

// movePictures gives a document the pictures of its next version.
func movePictures(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of, id domain.DocumentID) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM pictures WHERE workspace_id = ? AND document_id = ?`, ws, of); err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `UPDATE pictures SET document_id = ? WHERE workspace_id = ? AND document_id = ?`, of, ws, id)
}
