package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// ModelCall returns the answer recorded under key, nil when there is none.
func (l *Ledger) ModelCall(ctx context.Context, key string) (answer []byte, err error) {
	if answer := l.gathered.answer(key); answer != nil {
		return answer, nil
	}
	err = l.reader.QueryRowContext(ctx, `SELECT response FROM model_calls WHERE key = ?`, key).Scan(&answer)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return answer, l.wrap("read model call", err)
}

// SaveModelCall records an answer, which is JSON, under its request's key, in
// place of an earlier one. When the owner's document, or one that the owner's
// run has read, has been deleted meanwhile, nothing is recorded: the answer may
// hold its words.
func (l *Ledger) SaveModelCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte) error {
	return l.made(ctx, madeCall{saved: &savedCall{key, owner, answer}})
}

// SaveCountedCall records an answer like SaveModelCall and adds to what a workspace
// has used, in one transaction.
func (l *Ledger) SaveCountedCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte, ws domain.WorkspaceID, u Usage) error {
	return l.made(ctx, madeCall{&savedCall{key, owner, answer}, &addedUsage{ws, u}})
}

// madeCall is what is written of a call.
type madeCall struct {
	saved *savedCall  // nil if it is not recorded
	used  *addedUsage // nil if it is counted elsewhere
}

// savedCall is an answer to record.
type savedCall struct {
	key    string
	owner  domain.CallOwner
	answer []byte
}

// made writes a call, or leaves it to the tab of its context.
func (l *Ledger) made(ctx context.Context, c madeCall) error {
	if tab, ok := ctx.Value(tabKey{}).(*Tab); ok && c.saved != nil {
		tab.add(c)
		return nil
	}
	return l.calls.Write(ctx, c)
}

func (l *Ledger) writeCalls(ctx context.Context, calls []madeCall) error {
	return l.tx(ctx, "record model call", func(tx *sql.Tx, now time.Time) error { return l.saveCalls(ctx, tx, now, calls) })
}

func (l *Ledger) saveCalls(ctx context.Context, tx *sql.Tx, now time.Time, calls []madeCall) error {
	var used []addedUsage
	gone := map[domain.CallOwner]bool{}
	for _, c := range calls {
		if c.used != nil {
			used = append(used, *c.used)
		}
		if c.saved == nil {
			continue
		}
		if err := l.saveModelCall(ctx, tx, now, *c.saved, gone); err != nil {
			return err
		}
	}
	return addUsage(ctx, tx, used)
}

// saveModelCall records an answer. What it finds out about the owner it notes in gone,
// for other calls of the transaction.
func (l *Ledger) saveModelCall(ctx context.Context, tx *sql.Tx, now time.Time, c savedCall, gone map[domain.CallOwner]bool) (err error) {
	if _, known := gone[c.owner]; !known {
		if gone[c.owner], err = l.ownerGone(ctx, tx, c.owner); err != nil {
			return err
		}
	}
	if gone[c.owner] {
		return nil
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO model_calls (key, workspace_id, document_id, run_id, response, at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET workspace_id = excluded.workspace_id,
		document_id = excluded.document_id, run_id = excluded.run_id, response = excluded.response, at = excluded.at`,
		c.key, c.owner.Workspace, c.owner.Document, c.owner.Run, string(c.answer), sqlio.Millis(now))
	return err
}

// ownerGone reports whether the owner's document, or one that its run has read,
// has been deleted. Otherwise it keeps them until the transaction ends.
func (l *Ledger) ownerGone(ctx context.Context, tx *sql.Tx, owner domain.CallOwner) (bool, error) {
	if err := l.holdRead(ctx, tx, owner.Run, owner.Workspace, owner.Document); err != nil {
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
