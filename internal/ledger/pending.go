package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A Deletion is what a person deleted at once. Its documents are hidden until At, when
// DeleteMarked removes them; until then Undelete takes it back.
type Deletion struct {
	ID        domain.DeletionID
	At        time.Time
	Keep      bool // answers keep the sentences of the documents
	Documents int
}

// Of published documents, hidden says that projections must not see them any more.
const hidden = 2

// MarkDeleted hides the documents that a query selects from lists, scopes and projections,
// and returns their number. Its Limit, Offset and place are ignored.
func (l *Ledger) MarkDeleted(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery, d Deletion) (n int, err error) {
	cond, args := dq.where(ws)
	err = l.tx(ctx, "mark documents as deleted", func(tx *sql.Tx, now time.Time) error {
		args := append([]any{sqlio.Millis(d.At), d.ID, flag(d.Keep)}, args...)
		done, err := tx.ExecContext(ctx, `UPDATE documents SET delete_at = ?, deletion = ?, keep_quoted = ?, published = CASE published WHEN 1 THEN 2 ELSE published END
			WHERE `+cond, args...)
		if err != nil {
			return err
		}
		marked, err := done.RowsAffected()
		n = int(marked)
		if err != nil || n == 0 {
			return err
		}
		return appendChanges(ctx, tx, ws, d.ID, true, now)
	})
	return n, err
}

// appendChanges gives each published document of a deletion a change, see appendChange.
func appendChanges(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DeletionID, deleted bool, now time.Time) error {
	var n, head int64
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND deletion = ? AND published = ?`, ws, id, hidden).Scan(&n)
	if err != nil || n == 0 {
		return err
	}
	if err := tx.QueryRowContext(ctx, `UPDATE workspaces SET head = head + ? WHERE id = ? RETURNING head`, n, ws).Scan(&head); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO changes (workspace_id, seq, document_id, deleted, at)
		SELECT workspace_id, CAST(? AS BIGINT) + ROW_NUMBER() OVER (ORDER BY id), id, CAST(? AS INTEGER), CAST(? AS BIGINT) FROM documents WHERE workspace_id = ? AND deletion = ? AND published = ?`,
		head-n, flag(deleted), sqlio.Millis(now), ws, id, hidden)
	return err
}

// Undelete takes a deletion back before its time, and returns the number of its documents,
// which are as they were.
func (l *Ledger) Undelete(ctx context.Context, ws domain.WorkspaceID, id domain.DeletionID) (n int, err error) {
	err = l.tx(ctx, "take a deletion back", func(tx *sql.Tx, now time.Time) error {
		// Locks the rows, so that DeleteMarked finds all of them marked, or none.
		done, err := tx.ExecContext(ctx, `UPDATE documents SET delete_at = 0 WHERE workspace_id = ? AND deletion = ? AND delete_at > ?`, ws, id, sqlio.Millis(now))
		if err != nil {
			return err
		}
		back, err := done.RowsAffected()
		if n = int(back); err != nil || n == 0 {
			return err
		}
		if err := appendChanges(ctx, tx, ws, id, false, now); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE documents SET deletion = '', keep_quoted = 0, published = CASE published WHEN 2 THEN 1 ELSE published END
			WHERE workspace_id = ? AND deletion = ?`, ws, id)
		return err
	})
	return n, err
}

// DeletionOf returns the deletion that a document is part of, the zero value for none.
func (l *Ledger) DeletionOf(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (d Deletion, err error) {
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error { return rows.Scan(&d.ID, instant{&d.At}) },
		`SELECT deletion, delete_at FROM documents WHERE workspace_id = ? AND id = ? AND delete_at > 0`, ws, id)
	return d, l.wrap("read a deletion", err)
}

// Deletion returns a deletion whose documents are hidden, with zero documents for one that
// was carried out or taken back.
func (l *Ledger) Deletion(ctx context.Context, ws domain.WorkspaceID, id domain.DeletionID) (Deletion, error) {
	d := Deletion{ID: id}
	err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MAX(delete_at), 0) FROM documents WHERE workspace_id = ? AND deletion = ? AND delete_at > 0`,
		ws, id).Scan(&d.Documents, instant{&d.At})
	return d, l.wrap("read a deletion", err)
}

// MarkedUntil returns when the first hidden documents of a workspace are to be deleted, the
// zero time if none are.
func (l *Ledger) MarkedUntil(ctx context.Context, ws domain.WorkspaceID) (at time.Time, err error) {
	err = l.reader.QueryRowContext(ctx, `SELECT COALESCE(MIN(delete_at), 0) FROM documents WHERE workspace_id = ? AND delete_at > 0`, ws).Scan(instant{&at})
	return at, l.wrap("read deletions", err)
}

// Marked lists at most n hidden documents that are to be deleted by now.
func (l *Ledger) Marked(ctx context.Context, ws domain.WorkspaceID, n int) ([]domain.Document, error) {
	found, err := sqlio.Collect(ctx, l.reader, scanDocumentRow, `SELECT `+documentColumns+` FROM documents
		WHERE workspace_id = ? AND delete_at > 0 AND delete_at <= ? ORDER BY delete_at, id LIMIT ?`, ws, sqlio.Millis(l.now()), n)
	return found, l.wrap("list deleted documents", err)
}

// DeleteMarked deletes a document as DeleteDocument does, unless its deletion was taken back.
func (l *Ledger) DeleteMarked(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) error {
	return l.erase(ctx, "delete document", func(tx *sql.Tx, now time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		var at int64
		var keep bool
		if err := tx.QueryRowContext(ctx, `SELECT delete_at, keep_quoted FROM documents WHERE workspace_id = ? AND id = ?`, ws, id).Scan(&at, &keep); err != nil {
			return err
		}
		if at == 0 || at > sqlio.Millis(now) {
			return domain.Errorf(domain.Conflict, "The deletion was taken back.")
		}
		_, err := l.remove(ctx, tx, ws, id, keep, now)
		return err
	})
}

// A Toll is what goes when documents are deleted.
type Toll struct {
	Documents int
	Passages  int
	Entities  int // named in no other document
	Relations int // stated in no other document
	Answers   int // that lose a source
	Summaries int // that lose one
}

// maxTolled is the most documents whose entities and relations Toll counts.
const maxTolled = 2000

// Toll returns what goes when the documents that a query selects are deleted. Of more than
// 2,000 documents it counts no entities and relations: they are -1.
func (l *Ledger) Toll(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery) (t Toll, err error) {
	cond, args := dq.where(ws)
	const those = ` FROM documents WHERE `
	err = l.reader.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(chunks), 0)`+those+cond, args...).Scan(&t.Documents, &t.Passages)
	if err != nil {
		return t, l.wrap("count what a deletion removes", err)
	}
	counted := `WITH gone AS (SELECT id` + those + cond + `) SELECT
		(SELECT COUNT(DISTINCT message_id) FROM citations WHERE workspace_id = ? AND document_id IN (SELECT id FROM gone)),
		(SELECT COUNT(DISTINCT summary_id) FROM summary_documents WHERE workspace_id = ? AND document_id IN (SELECT id FROM gone))`
	args = append(args, ws, ws)
	if t.Documents > maxTolled {
		t.Entities, t.Relations = -1, -1
		err = l.reader.QueryRowContext(ctx, counted, args...).Scan(&t.Answers, &t.Summaries)
		return t, l.wrap("count what a deletion removes", err)
	}
	counted += `, (SELECT COUNT(*) FROM (SELECT DISTINCT m.entity_key` + inGone("mentions") + `) k WHERE NOT EXISTS (` + elsewhere("mentions") + ` AND m.entity_key = k.entity_key)),
		(SELECT COUNT(*) FROM (SELECT DISTINCT m.source_key, m.type, m.target_key` + inGone("statements") + `) k WHERE NOT EXISTS (` + elsewhere("statements") + `
			AND m.source_key = k.source_key AND m.type = k.type AND m.target_key = k.target_key))`
	args = append(args, ws, ws, ws, ws)
	err = l.reader.QueryRowContext(ctx, counted, args...).Scan(&t.Answers, &t.Summaries, &t.Entities, &t.Relations)
	return t, l.wrap("count what a deletion removes", err)
}

// inGone selects the rows of an index table of contributions that the documents gone hold.
func inGone(table string) string {
	return ` FROM contributions c JOIN ` + table + ` m ON m.workspace_id = c.workspace_id AND m.chunk_id = c.chunk_id
		WHERE c.workspace_id = ? AND c.document_id IN (SELECT id FROM gone)`
}

// elsewhere selects those that published documents hold besides.
func elsewhere(table string) string {
	return `SELECT 1 FROM ` + table + ` m JOIN contributions c ON c.workspace_id = m.workspace_id AND c.chunk_id = m.chunk_id
		JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
		WHERE m.workspace_id = ? AND d.published = 1 AND c.document_id NOT IN (SELECT id FROM gone)`
}
