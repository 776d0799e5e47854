package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Change is an entry of a workspace's outbox: a document that the projections
// have to read again or drop, or an entry of the curation log.
type Change struct {
	Seq      int64             // from 1, without gaps
	Document domain.DocumentID // "": the entry of the curation log with this number
	Deleted  bool
	Vectors  bool // of a document that is as before: only vectors were made of its text
}

// Publish makes a document's present state visible to the projections and
// returns the number of the change. One that is hidden by a deletion stays hidden.
func (l *Ledger) Publish(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (seq int64, err error) {
	err = l.tx(ctx, "publish document", func(tx *sql.Tx, now time.Time) error {
		seq, err = l.publish(ctx, tx, ws, id, now)
		return err
	})
	return seq, err
}

// PublishTx does what Publish does within the transaction of UpdateDocumentTx.
func (l *Ledger) PublishTx(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	_, err := l.publish(ctx, tx, ws, id, l.now())
	return err
}

func (l *Ledger) publish(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, now time.Time) (int64, error) {
	found, err := changed(tx.ExecContext(ctx, `UPDATE documents SET published = CASE WHEN delete_at > 0 THEN 2 ELSE 1 END WHERE workspace_id = ? AND id = ?`, ws, id))
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, noDocument(id)
	}
	seq, err := appendChange(ctx, tx, ws, Change{Document: id}, now)
	if err != nil {
		return 0, err
	}
	return seq, l.recall(ctx, tx, ws, id)
}

// appendChange gives a change the workspace's next number. The update locks the
// workspace's row until the transaction ends, so numbers become visible in order.
func appendChange(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Change, now time.Time) (int64, error) {
	var seq int64
	err := tx.QueryRowContext(ctx, `UPDATE workspaces SET head = head + 1 WHERE id = ? RETURNING head`, ws).Scan(&seq)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO changes (workspace_id, seq, document_id, deleted, vectors, at) VALUES (?, ?, ?, ?, ?, ?)`,
		ws, seq, c.Document, flag(c.Deleted), flag(c.Vectors), sqlio.Millis(now))
	return seq, err
}

// PublishVectors has the search index take over the vectors that were made of documents' texts. It leaves out documents that
// are not published.
func (l *Ledger) PublishVectors(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) error {
	return l.tx(ctx, "publish vectors", func(tx *sql.Tx, now time.Time) error {
		published, err := collectIn(ctx, tx, sqlio.Column[domain.DocumentID],
			`SELECT id FROM documents WHERE workspace_id = ? AND published = 1 AND id IN (%s)`, []any{ws}, ids)
		if err != nil {
			return err
		}
		slices.Sort(published)
		for _, id := range published {
			if _, err := appendChange(ctx, tx, ws, Change{Document: id, Vectors: true}, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Changes lists at most n changes after the given number in order, all when n is
// 0.
func (l *Ledger) Changes(ctx context.Context, ws domain.WorkspaceID, after int64, n int) ([]Change, error) {
	changes, err := sqlio.Collect(ctx, l.reader, func(rows *sql.Rows) (c Change, err error) {
		return c, rows.Scan(&c.Seq, &c.Document, &c.Deleted, &c.Vectors)
	}, `SELECT seq, document_id, deleted, vectors FROM changes WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?`, ws, after, limit(n))
	return changes, l.wrap("read changes", err)
}

// Pending describes the changes that a store has not seen.
type Pending struct {
	Since     time.Time           // of the oldest change
	Documents []domain.DocumentID // of the first changes, each once, at most 5
}

// Pending returns what changed after the given number, the zero value when
// nothing did.
func (l *Ledger) Pending(ctx context.Context, ws domain.WorkspaceID, after int64) (Pending, error) {
	const few = 5
	var p Pending
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var at int64
		err := rows.Scan(&id, &at)
		if p.Since.IsZero() {
			p.Since = sqlio.Time(at)
		}
		if len(p.Documents) < few && id != "" && !slices.Contains(p.Documents, id) {
			p.Documents = append(p.Documents, id)
		}
		return err
	}, `SELECT document_id, at FROM changes WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT 50`, ws, after)
	return p, l.wrap("read what waits", err)
}

// Head returns the number of the workspace's last change, 0 when there is none.
func (l *Ledger) Head(ctx context.Context, ws domain.WorkspaceID) (int64, error) {
	var head int64
	err := l.reader.QueryRowContext(ctx, `SELECT head FROM workspaces WHERE id = ?`, ws).Scan(&head)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return head, l.wrap("read head", err)
}
