package ledger

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// pausedRun is the condition for a run r that a person has paused, or that waits at a cap.
const pausedRun = `r.status IN ('paused', 'capped') AND r.status <> 'done'`

// Reading sums up the documents that wait or are being read.
type Reading struct {
	Documents int `json:"documents"`
	Running   int `json:"running"`
	Paused    int `json:"paused"` // by a person
	AtCap     int `json:"at_cap"`
	Passages  int `json:"passages"` // of those that are cut already
	Read      int `json:"read"`     // of these passages

	CutBytes   int64   `json:"-"`    // of the documents that are cut already
	UncutBytes int64   `json:"-"`    // of the others
	Rate       float64 `json:"rate"` // passages a second
	Slowest    float64 `json:"-"`    // passages a second of one document
	Fastest    float64 `json:"-"`
}

// Reading sums up the documents that wait or are being read. Of those that are paused it counts only the documents.
func (l *Ledger) Reading(ctx context.Context, ws domain.WorkspaceID, now time.Time) (r Reading, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(running), 0), COALESCE(SUM(asleep), 0), COALESCE(SUM(paused - asleep), 0),
		COALESCE(SUM(CASE WHEN paused = 0 THEN chunks ELSE 0 END), 0), COALESCE(SUM(CASE WHEN paused = 0 THEN chunks_done ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN paused = 0 AND chunks > 0 THEN size ELSE 0 END), 0), COALESCE(SUM(CASE WHEN paused = 0 AND chunks = 0 THEN size ELSE 0 END), 0),
		COALESCE(SUM(rate), 0.0), COALESCE(MIN(rate), 0.0), COALESCE(MAX(rate), 0.0)
		FROM (SELECT d.chunks, d.chunks_done, d.size, CASE WHEN r.status = 'running' THEN 1 ELSE 0 END AS running,
			CASE WHEN `+pausedRun+` THEN 1 ELSE 0 END AS paused,
			CASE WHEN r.status = 'paused' THEN 1 ELSE 0 END AS asleep,
			CASE WHEN r.status = 'running' AND d.chunks_done > 0 AND r.started_at < ? THEN d.chunks_done * 1000.0 / (CAST(? AS BIGINT) - r.started_at) END AS rate
			FROM documents d JOIN runs r ON r.id = d.run_id AND r.workspace_id = d.workspace_id
			WHERE d.workspace_id = ? AND d.delete_at = 0 AND d.status IN (?, ?)) s`,
		sqlio.Millis(now), sqlio.Millis(now), ws, domain.DocumentWaiting, domain.DocumentWorking).
		Scan(&r.Documents, &r.Running, &r.Paused, &r.AtCap, &r.Passages, &r.Read, &r.CutBytes, &r.UncutBytes, &r.Rate, &r.Slowest, &r.Fastest)
	return r, l.wrap("sum up what is being read", err)
}
