package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/sqlio"
)

// ModelCall is the recorded answer to the request of a key, with Recorded set,
// and whether there is one.
func (l *Ledger) ModelCall(ctx context.Context, key string) (llm.Response, bool, error) {
	var r llm.Response
	err := l.reader.QueryRowContext(ctx, `SELECT response FROM model_calls WHERE key = ?`, key).Scan(column{&r})
	if errors.Is(err, sql.ErrNoRows) {
		return llm.Response{}, false, nil
	}
	r.Recorded = true
	return r, err == nil, l.wrap("read model call", err)
}

// SaveModelCall records an answer under its request's key, in place of an
// earlier one. The record belongs to owner and goes with it. When owner's
// document has been deleted meanwhile, or a document that owner's run has
// read, nothing is recorded: the answer may hold its words.
func (l *Ledger) SaveModelCall(ctx context.Context, key string, owner llm.Owner, r llm.Response) error {
	response, err := encode(r)
	if err != nil {
		return err
	}
	return l.tx(ctx, "record model call", func(tx *sql.Tx, now time.Time) error {
		gone, err := l.ownerGone(ctx, tx, owner)
		if gone || err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO model_calls (key, workspace_id, document_id, run_id, response, at)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET workspace_id = excluded.workspace_id,
			document_id = excluded.document_id, run_id = excluded.run_id, response = excluded.response, at = excluded.at`,
			key, owner.Workspace, owner.Document, owner.Run, response, sqlio.Millis(now))
		return err
	})
}

// ownerGone reports whether owner's document, or one that its run has read,
// has been deleted. None of them is, from then on.
func (l *Ledger) ownerGone(ctx context.Context, tx *sql.Tx, owner llm.Owner) (bool, error) {
	if err := l.holdRead(ctx, tx, domain.RunID(owner.Run), domain.WorkspaceID(owner.Workspace), domain.DocumentID(owner.Document)); err != nil {
		return false, err
	}
	if owner.Document != "" {
		var n int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND id = ?`, owner.Workspace, owner.Document).Scan(&n)
		if n == 0 || err != nil {
			return true, err
		}
	}
	return readDeleted(ctx, tx, owner.Run)
}
