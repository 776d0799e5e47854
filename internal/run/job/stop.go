package job

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Stop asks a run to stop. A waiting run is stopped at once, a running one as soon as its worker notices; one that has
// ended stays as it is. NotFound means that the workspace has no such run.
func (q *Queue) Stop(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	n, err := q.exec(ctx, `UPDATE runs SET stop_asked = 1,
		finished_at = CASE status WHEN 'running' THEN finished_at ELSE ? END,
		status = CASE status WHEN 'running' THEN status ELSE 'stopped' END
		WHERE workspace_id = ? AND id = ? AND (status IN `+pending+` OR status = 'running')`, sqlio.Millis(q.now()), ws, id)
	if err != nil {
		return q.wrap("stop run", err)
	}
	if n == 0 {
		_, err = q.Get(ctx, ws, id)
		return err
	}
	q.stopped.broadcast()
	return nil
}

// Withdraw deletes a run that waits and that no worker has ever claimed, in a transaction, and reports whether it did.
func (q *Queue) Withdraw(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.RunID) (bool, error) {
	gone, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM runs WHERE workspace_id = ? AND id = ? AND status IN `+pending+` AND started_at = 0`, ws, id))
	return gone, q.wrap("withdraw run", err)
}
