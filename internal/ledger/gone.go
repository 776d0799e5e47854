package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// LinksBelow lists the links that begin so, of documents from the web and from storages.
func (l *Ledger) LinksBelow(ctx context.Context, ws domain.WorkspaceID, beginning string) ([]string, error) {
	links, err := sqlio.Collect(ctx, l.reader, sqlio.Column[string], `SELECT DISTINCT link FROM documents WHERE workspace_id = ? AND delete_at = 0
		AND link <> '' AND link >= ? AND link < ? AND source IN (?, ?) ORDER BY link`,
		ws, beginning, beginning+"\U0010FFFF", domain.SourceWeb, domain.SourceStorage)
	return links, l.wrap("list links", err)
}

// NoteGone notes that a link leads nowhere any more, or that it leads somewhere, and returns the names of the documents from
// there that are gone, or were.
func (l *Ledger) NoteGone(ctx context.Context, ws domain.WorkspaceID, link string, gone bool) (names []string, err error) {
	err = l.tx(ctx, "note what is gone", func(tx *sql.Tx, now time.Time) (err error) {
		at := sqlio.Millis(now)
		if !gone {
			at = 0
		}
		names, err = sqlio.Collect(ctx, tx, sqlio.Column[string], `UPDATE documents SET gone_at = CASE WHEN gone_at > 0 AND ? = 1 THEN gone_at ELSE ? END
			WHERE workspace_id = ? AND link = ? AND link <> '' AND source IN (?, ?) AND delete_at = 0 AND (gone_at > 0 OR ? = 1) RETURNING name`,
			flag(gone), at, ws, link, domain.SourceWeb, domain.SourceStorage, flag(gone))
		return err
	})
	return names, err
}
