package ledger

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// What transactions lock, where the database lets several write at once (see
// sqlio.Dialect). Locks are taken in this order, so that nobody waits in a
// circle, but for two deletions, or one and a summary, that meet: the database
// notices, and one of them is run again (see sqlio.InTx):
//
//  1. the conversation, the message or the summary, by who changes it;
//  2. the documents: staying, by who writes words of theirs; changing, by who
//     changes their row, text or chunks; removing, by who deletes one. So no
//     word of a document is written behind the back of its deletion: the
//     deletion waits for who came before it, and who comes after finds the
//     document gone;
//  3. the run or the chunk that something is written about;
//  4. the workspace, by who appends a change: its row hands out the numbers,
//     and is held until the change can be seen. From there on a transaction is
//     alone among those of its workspace that append one, so what they decide
//     by is read behind it.

// holdDocuments lets none of the documents be deleted before the transaction
// ends. Those that are gone are passed over.
func (l *Ledger) holdDocuments(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, ids []domain.DocumentID) error {
	if l.lock.Staying == "" {
		return nil
	}
	_, err := collectIn(ctx, tx, sqlio.Column[string],
		`SELECT id FROM documents WHERE workspace_id = ? AND id IN (%s) ORDER BY id`+l.lock.Staying, []any{ws}, ids)
	return err
}

// holdRead is holdDocuments of those that a run has read so far, and of more.
func (l *Ledger) holdRead(ctx context.Context, tx *sql.Tx, run domain.RunID, ws domain.WorkspaceID, more ...domain.DocumentID) error {
	if l.lock.Staying == "" {
		return nil
	}
	read, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.DocumentID],
		`SELECT document_id FROM run_documents WHERE run_id = ? AND workspace_id = ?`, run, ws)
	if err != nil {
		return err
	}
	return l.holdDocuments(ctx, tx, ws, append(read, more...))
}
