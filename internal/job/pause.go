package job

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// Pause puts the runs of a kind that wait for a worker to sleep, and returns their number.
func (q *Queue) Pause(ctx context.Context, ws domain.WorkspaceID, kind string) (int, error) {
	n, err := q.exec(ctx, `UPDATE runs SET next_try = ? WHERE workspace_id = ? AND kind = ? AND status = 'waiting' AND status <> 'done' AND input = '' AND next_try <> ?`,
		sqlio.Millis(farFuture), ws, kind, sqlio.Millis(farFuture))
	return n, q.wrap("pause runs", err)
}

// GoOn wakes the runs of a kind that Pause put to sleep, and returns their number. Those that wait
// for a reply or a yes sleep on.
func (q *Queue) GoOn(ctx context.Context, ws domain.WorkspaceID, kind string) (int, error) {
	n, err := q.exec(ctx, `UPDATE runs SET next_try = 0 WHERE workspace_id = ? AND kind = ? AND status = 'waiting' AND status <> 'done' AND input = '' AND next_try = ?`,
		ws, kind, sqlio.Millis(farFuture))
	if err == nil && n > 0 {
		q.Announce()
	}
	return n, q.wrap("go on with runs", err)
}

// PauseOne puts a run to sleep that waits for a worker, until GoOn or Wake, and reports whether it did.
func (q *Queue) PauseOne(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) (bool, error) {
	n, err := q.exec(ctx, `UPDATE runs SET next_try = ? WHERE workspace_id = ? AND id = ? AND status = 'waiting' AND input = '' AND next_try <> ?`,
		sqlio.Millis(farFuture), ws, id, sqlio.Millis(farFuture))
	return n > 0, q.wrap("pause a run", err)
}

// Prefer lets a waiting run go before the others of its kind, and wakes it if Pause put it to sleep.
func (q *Queue) Prefer(ctx context.Context, ws domain.WorkspaceID, id domain.RunID) error {
	n, err := q.exec(ctx, `UPDATE runs SET next_try = 0, priority = 1 + (SELECT MAX(o.priority) FROM runs o WHERE o.workspace_id = runs.workspace_id AND o.kind = runs.kind AND o.status = 'waiting' AND o.status <> 'done')
		WHERE workspace_id = ? AND id = ? AND status = 'waiting'`, ws, id)
	if err == nil && n > 0 {
		q.Announce()
	}
	return q.wrap("prefer a run", err)
}
