package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A RunCall is a recorded call of a model.
type RunCall struct {
	Key    string
	At     time.Time
	Answer []byte
}

// RunCalls lists the calls that were recorded for a run, or for the document that it is about, in their order.
func (l *Ledger) RunCalls(ctx context.Context, ws domain.WorkspaceID, run domain.RunID, document domain.DocumentID) ([]RunCall, error) {
	calls, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c RunCall, err error) {
		return c, rows.Scan(&c.Key, instant{&c.At}, &c.Answer)
	}, `SELECT key, at, response FROM model_calls WHERE workspace_id = ? AND run_id = ?
		UNION SELECT key, at, response FROM model_calls WHERE workspace_id = ? AND document_id = ? AND document_id <> '' ORDER BY at, key`, ws, run, ws, document)
	return calls, l.wrap("read the calls of a run", err)
}
