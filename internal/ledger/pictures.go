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

// A PictureBeside is a picture in or beside a chunk.
type PictureBeside struct {
	domain.Picture
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Name     string // of the document
}

// PicturesBeside lists the pictures whose words stand in chunks, or that stand in them, in the order of their documents. Those of
// documents that are deleted, or that the person may not read, are left out.
func (l DocumentStore) PicturesBeside(ctx context.Context, ws domain.WorkspaceID, chunks []domain.ChunkID) ([]PictureBeside, error) {
	t := pictureTable(ws, "", "")
	seen, args := Seen(ctx, "d")
	scan := into(func(b *PictureBeside) []any { return append(t.Fields(&b.Picture), &b.Chunk, &b.Document, &b.Name) })
	return listIn(ctx, l, "find pictures", scan, `SELECT `+t.Columns("p")+`, c.id, d.id, d.name FROM chunks c
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
		JOIN pictures p ON p.workspace_id = c.workspace_id AND p.document_id = c.document_id AND p.span_start <= c.span_end AND p.span_end >= c.span_start
		WHERE c.workspace_id = ? AND d.delete_at = 0`+seen+` AND c.id IN (%s) ORDER BY d.id, p.number`, append([]any{ws}, args...), chunks)
}
