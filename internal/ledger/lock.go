package ledger

import (
	"context"
	"database/sql"
	"slices"
	"strings"

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
// notices, and one of them is retried (see sqlio.InTx).

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
// returns which of more the run had not read before, and reports whether any of the
// documents has been deleted.
func (l *store) holdRead(ctx context.Context, tx *sql.Tx, run domain.RunID, ws domain.WorkspaceID, more ...domain.DocumentID) (fresh []domain.DocumentID, deleted bool, err error) {
	with, held, args := "", "documents", []any{ws, run}
	if l.lock.Staying != "" {
		with, held, args = `WITH held AS (SELECT workspace_id, id FROM documents
			WHERE workspace_id = ? AND id IN (SELECT document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?) ORDER BY id`+l.lock.Staying+`) `, "held", []any{ws, ws, run, ws, run}
	}
	read := map[domain.DocumentID]bool{}
	err = sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var there bool
		err := rows.Scan(&id, &there)
		read[id], deleted = true, deleted || !there
		return err
	}, with+`SELECT r.document_id, EXISTS (SELECT 1 FROM `+held+` d WHERE d.workspace_id = r.workspace_id AND d.id = r.document_id)
		FROM run_documents r WHERE r.workspace_id = ? AND r.run_id = ?`, args...)
	if err != nil {
		return nil, false, err
	}
	fresh = slices.DeleteFunc(slices.Clone(more), func(id domain.DocumentID) bool { return read[id] })
	there, err := collectIn(ctx, tx, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND id IN (%s) ORDER BY id`+l.lock.Staying, []any{ws}, fresh)
	return fresh, deleted || len(there) < len(fresh), err
}

// lockRead does the same as holdRead without telling what it finds, so that it takes no round trip.
func (l *store) lockRead(ctx context.Context, tx *sql.Tx, run domain.RunID, ws domain.WorkspaceID, more []domain.DocumentID) error {
	values := strings.Repeat(` UNION ALL SELECT CAST(? AS TEXT)`, len(more))
	return sqlio.Exec(ctx, tx, `SELECT id FROM documents WHERE workspace_id = ? AND id IN (SELECT document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?`+values+`) ORDER BY id`+l.lock.Staying,
		append([]any{ws, ws, run}, sqlio.Args(more)...)...)
}
