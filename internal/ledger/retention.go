package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// oldConversations selects the conversations of a workspace in which nobody has asked since a time. Pinned and shared ones stay.
const oldConversations = ` FROM conversations WHERE workspace_id = ? AND delete_at = 0 AND pinned = 0 AND shared_at = 0 AND updated_at < ?
	AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.workspace_id = conversations.workspace_id AND a.conversation_id = conversations.id AND a.created_at >= ?)`

// oldRuns selects the runs of a workspace that ended before a time, and of which steps are kept.
const oldRuns = ` FROM runs WHERE workspace_id = ? AND settled = 1 AND finished_at > 0 AND finished_at < ?
	AND EXISTS (SELECT 1 FROM events e WHERE e.run_id = runs.id AND e.json NOT LIKE '%"kind":"settled"%')`

// CountOldConversations returns in how many conversations nobody has asked since a time. Pinned and shared ones are not counted.
func (l AnswerStore) CountOldConversations(ctx context.Context, ws domain.WorkspaceID, before time.Time) (int, error) {
	return one[int](ctx, l, "count old conversations", `SELECT COUNT(*)`+oldConversations, ws, sqlio.Millis(before), sqlio.Millis(before))
}

// OldConversations lists some conversations in which nobody has asked since a time, the oldest first. Pinned and shared ones are left out.
func (l AnswerStore) OldConversations(ctx context.Context, ws domain.WorkspaceID, before time.Time, limit int) ([]domain.ConversationID, error) {
	return list(ctx, l, "list old conversations", sqlio.Column[domain.ConversationID],
		`SELECT id`+oldConversations+` ORDER BY updated_at, id LIMIT ?`, ws, sqlio.Millis(before), sqlio.Millis(before), limit)
}

// CountOldRuns returns of how many runs that ended before a time steps are kept.
func (l RunStore) CountOldRuns(ctx context.Context, ws domain.WorkspaceID, before time.Time) (int, error) {
	return one[int](ctx, l, "count old runs", `SELECT COUNT(*)`+oldRuns, ws, sqlio.Millis(before))
}

// ForgetSteps deletes the steps of some runs that ended before a time, the oldest first, and returns of how many. The end of
// each run stays, and what came of it.
func (l RunStore) ForgetSteps(ctx context.Context, ws domain.WorkspaceID, before time.Time, limit int) (n int, err error) {
	err = l.erase(ctx, "delete the steps of old runs", func(tx *sql.Tx, _ time.Time) error {
		ids, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.RunID], `SELECT id`+oldRuns+` ORDER BY finished_at, id LIMIT ?`, ws, sqlio.Millis(before), limit)
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		return execIn(ctx, tx, `DELETE FROM events WHERE workspace_id = ? AND json NOT LIKE '%%"kind":"settled"%%' AND run_id IN (%s)`, []any{ws}, ids)
	})
	return n, err
}
