package job

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Pause makes the runs of a kind wait for a person that wait for a worker, and returns their number.
func (q *Queue) Pause(ctx context.Context, ws domain.WorkspaceID, kind string) (int, error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'paused' WHERE workspace_id = ? AND kind = ? AND status IN ('waiting', 'capped') AND status <> 'done'`, ws, kind)
	return n, q.wrap("pause runs", err)
}

// GoOn lets the paused runs of a kind be claimed, and returns their number.
func (q *Queue) GoOn(ctx context.Context, ws domain.WorkspaceID, kind string) (int, error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0 WHERE workspace_id = ? AND kind = ? AND status = 'paused' AND status <> 'done'`, ws, kind)
	if err == nil && n > 0 {
		q.Announce()
	}
	return n, q.wrap("go on with runs", err)
}

// PauseOne makes a run wait for a person that waits for a worker, until GoOn or Wake, and reports whether it did.
func (q *Queue) PauseOne(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (bool, error) {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'paused' WHERE workspace_id = ? AND id = ? AND status IN ('waiting', 'capped')`, ws, id)
	return n > 0, q.wrap("pause a run", err)
}

// Prefer lets a run that waits go before the others of its kind, also one that is held or paused.
func (q *Queue) Prefer(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	n, err := q.exec(ctx, `UPDATE runs SET status = 'waiting', next_try = 0, priority = 1 + (SELECT MAX(o.priority) FROM runs o
			WHERE o.workspace_id = runs.workspace_id AND o.kind = runs.kind AND o.status IN `+pending+` AND o.status <> 'done')
		WHERE workspace_id = ? AND id = ? AND status IN `+pending, ws, id)
	if err == nil && n > 0 {
		q.Announce()
	}
	return q.wrap("prefer a run", err)
}
