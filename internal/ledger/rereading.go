package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Rereading tells how far documents have come that were chosen together to be read again.
type Rereading struct {
	ID        domain.RereadingID `json:"id"`
	Documents int                `json:"documents"` // that are still in the library
	Read      int                `json:"read"`
	Failed    int                `json:"failed"` // or stopped
	Unbegun   int                `json:"not_begun"`
}

// A Reread is a document of a rereading.
type Reread struct {
	Document domain.DocumentID
	Run      domain.RunID // that reads it
	Was      Settled      // what it was before
}

// Settled is how the reading of a document had ended.
type Settled struct {
	Status  domain.DocumentStatus `json:"status"`
	Stage   string                `json:"stage,omitempty"`
	Problem string                `json:"problem,omitempty"`
	Run     domain.RunID          `json:"run"`
	Took    time.Duration         `json:"took,omitempty"`
	Deaths  int                   `json:"deaths,omitempty"`
}

// NoteReread notes a document of a rereading, in the transaction that queues its run.
func (l *Ledger) NoteReread(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RereadingID, at time.Time, r Reread) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO rereadings (workspace_id, id, document_id, run_id, at, was) VALUES (?, ?, ?, ?, ?, ?)`,
		ws, id, r.Document, r.Run, sqlio.Millis(at), column{r.Was})
	return l.wrap("note what is read again", err)
}

// going are the rows x of rereadings, of documents d that are in the library, with their runs r.
const going = ` FROM rereadings x JOIN documents d ON d.workspace_id = x.workspace_id AND d.id = x.document_id
	LEFT JOIN runs r ON r.id = x.run_id WHERE x.workspace_id = ? AND d.delete_at = 0`

// unbegun is the condition for a document whose run no worker has claimed yet.
const unbegun = `r.status NOT IN ('running', 'done', 'failed', 'stopped') AND r.started_at = 0 AND d.run_id = x.run_id`

// Rereadings lists the rereadings that have not ended, the first begun first.
func (l *Ledger) Rereadings(ctx context.Context, ws domain.WorkspaceID) ([]Rereading, error) {
	list, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (r Rereading, err error) {
		return r, rows.Scan(&r.ID, &r.Documents, &r.Read, &r.Failed, &r.Unbegun)
	}, `SELECT x.id, COUNT(*), SUM(CASE WHEN r.status = 'done' THEN 1 ELSE 0 END), SUM(CASE WHEN r.status IN ('failed', 'stopped') THEN 1 ELSE 0 END),
		SUM(CASE WHEN `+unbegun+` THEN 1 ELSE 0 END)`+going+`
		GROUP BY x.id HAVING SUM(CASE WHEN r.status NOT IN ('done', 'failed', 'stopped') THEN 1 ELSE 0 END) > 0 ORDER BY MIN(x.at), x.id`, ws)
	return list, l.wrap("list rereadings", err)
}

// Unbegun lists the documents of a rereading that no worker has begun to read.
func (l *Ledger) Unbegun(ctx context.Context, ws domain.WorkspaceID, id domain.RereadingID) ([]Reread, error) {
	list, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (r Reread, err error) {
		return r, rows.Scan(&r.Document, &r.Run, column{&r.Was})
	}, `SELECT x.document_id, x.run_id, x.was`+going+` AND x.id = ? AND `+unbegun+` ORDER BY x.document_id`, ws, id)
	return list, l.wrap("list what is not read again yet", err)
}

// DropRereadings forgets the rereadings that have ended.
func (l *Ledger) DropRereadings(ctx context.Context, ws domain.WorkspaceID) error {
	return l.tx(ctx, "drop rereadings", func(tx *sql.Tx, _ time.Time) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM rereadings WHERE workspace_id = ? AND id NOT IN (
			SELECT x.id FROM rereadings x JOIN runs r ON r.id = x.run_id WHERE x.workspace_id = ? AND r.status NOT IN ('done', 'failed', 'stopped'))`, ws, ws)
		return err
	})
}
