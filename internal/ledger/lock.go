package ledger

import (
	"context"
	"database/sql"
	"slices"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Where the database lets several transactions write at once (see
// sqlio.Dialect), they take row locks in this order to avoid deadlocks:
//
//  1. the conversation, answer or summary that is changed;
//  2. the documents: Staying to write words of theirs, Changing to change their
//     row, text or chunks, Removing to delete them. So a deletion waits for the
//     writers before it, and the writers after it find the document gone;
//  3. the run or chunk that is written about;
//  4. the workspace, to append a change: its row numbers the changes and stays
//     locked until the commit. Whatever a transaction decides by must be read
//     after that lock.
//
// The ends of the trail (audit_ends) are locked by transactions that lock nothing else.
//
// Two deletions, or a deletion and a summary, can still deadlock. The database
// notices, and one of them is run again (see sqlio.InTx).

// holdDocuments prevents the documents from being deleted before the transaction
// ends. It ignores those that are gone.
func (l *store) holdDocuments(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, ids []domain.DocumentID) error {
	if l.lock.Staying == "" {
		return nil
	}
	_, err := collectIn(ctx, tx, sqlio.Column[string],
		`SELECT id FROM documents WHERE workspace_id = ? AND id IN (%s) ORDER BY id`+l.lock.Staying, []any{ws}, ids)
	return err
}

// holdRead does the same for the documents that a run has read, and for more. It
// reports whether one of them is deleted already.
func (l *store) holdRead(ctx context.Context, tx *sql.Tx, run domain.RunID, ws domain.WorkspaceID, more ...domain.DocumentID) (deleted bool, err error) {
	there, err := sqlio.Collect(ctx, tx, sqlio.Column[bool], `WITH held AS (SELECT id FROM documents
			WHERE workspace_id = ? AND id IN (SELECT document_id FROM run_documents WHERE run_id = ? AND workspace_id = ?) ORDER BY id`+l.lock.Staying+`)
		SELECT CASE WHEN EXISTS (SELECT 1 FROM held WHERE held.id = r.document_id) THEN 1 ELSE 0 END
		FROM run_documents r WHERE r.run_id = ? AND r.workspace_id = ?`, ws, run, ws, run, ws)
	if err != nil {
		return false, err
	}
	held, err := collectIn(ctx, tx, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND id IN (%s) ORDER BY id`+l.lock.Staying, []any{ws}, more)
	return slices.Contains(there, false) || len(held) < len(more), err
}
