package ledger_test

import (
	"slices"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// tooOld keeps conversations that are pinned or shared, and those of another workspace.
func tooOld(t *testing.T, b Bench) {
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := b.Writer.ExecContext(t.Context(), statement, args...)
		must(t, err)
	}
	old := b.Clock.Now().UnixMilli()
	b.Clock.Advance(48 * time.Hour)
	const add = `INSERT INTO conversations (workspace_id, id, title, created_at, updated_at, pinned, shared_at) VALUES (?, ?, 'Talk', ?, ?, ?, ?)`
	exec(add, ws, "k1", old, old, 0, 0)
	exec(add, ws, "k2", old, old, 1, 0)
	exec(add, ws, "k3", old, old, 0, old)
	exec(add, ws, "k4", old, b.Clock.Now().UnixMilli(), 0, 0)
	exec(add, "w2", "k5", old, old, 0, 0)
	before := b.Clock.Now().Add(-24 * time.Hour)
	ids, err := b.Ledger.OldConversations(t.Context(), ws, before, 10)
	n, failed := b.Ledger.CountOldConversations(t.Context(), ws, before)
	if err != nil || failed != nil || n != 1 || !slices.Equal(ids, []domain.ConversationID{"k1"}) {
		t.Errorf("too old are %v, %d counted, errors %v, %v", ids, n, err, failed)
	}
	n, err = b.Ledger.ForgetSteps(t.Context(), ws, before, 10)
	if counted, failed := b.Ledger.CountOldRuns(t.Context(), ws, before); err != nil || failed != nil || n != 0 || counted != 0 {
		t.Errorf("without runs: %d, %d, errors %v, %v", n, counted, err, failed)
	}
}
