package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Contents calls f for every point of a collection, by id. f must not use the
// store.
func (x *index) Contents(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection, f func(vectorstore.Point) error) error {
	if err := c.Check(); err != nil {
		return err
	}
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Workspace) error {
		if r.Num == 0 {
			return nil
		}
		return sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
			p := vectorstore.Point{Ref: vectorstore.Ref{Collection: c}}
			var vector []byte
			if err := rows.Scan(&p.ID, &p.Document, &p.Title, &p.Text, &vector); err != nil {
				return err
			}
			if vector != nil {
				p.Vector = decodeVector(nil, vector)
			}
			return f(p)
		}, `SELECT p.id, p.document, COALESCE(w.title, ''), COALESCE(w.text, ''), v.vector FROM points p
			LEFT JOIN `+wordsTable(r.Num, c)+` w ON w.rowid = p.num LEFT JOIN vectors v ON v.num = p.num
			WHERE p.workspace = ? AND p.collection = ? ORDER BY p.id`, r.Num, string(c))
	})
	if err != nil {
		return fmt.Errorf("read points: %w", err)
	}
	return nil
}
