package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// RemoveVersion removes an earlier version of a document with its words from every
// table, and returns the hash of its file. What another version has in the same words
// stays where it is if the whole file is the same.
func (l *Ledger) RemoveVersion(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID, number int) (hash string, err error) {
	err = l.erase(ctx, "remove a version", func(tx *sql.Tx, _ time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		v, content, err := versionToRemove(ctx, tx, ws, id, number)
		if err != nil {
			return err
		}
		hash = v.Hash
		again, err := fileIsHeld(ctx, tx, ws, id, v)
		if err != nil {
			return err
		}
		if !again {
			if err := l.removeTraces(ctx, tx, ws, id, v, content); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?`, ws, id, number)
		return err
	})
	return hash, err
}

func (l *Ledger) removeTraces(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, v Version, content string) error {
	t := tracesOf(v, content)
	err := l.stubAnswers(ctx, tx, ws, id, t, func() (loss, error) { return lostWithVersion(ctx, tx, ws, id, v.Number, content) })
	if err != nil {
		return l.wrap("remove its sentences from answers", err)
	}
	for _, d := range t.deletions() {
		if _, err := tx.ExecContext(ctx, d.statement, d.args(ws, id)...); err != nil {
			return l.wrap("remove "+d.what, err)
		}
	}
	return nil
}

func versionToRemove(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, number int) (v Version, content string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT number, hash, since, until, content FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?`, ws, id, number).
		Scan(&v.Number, &v.Hash, instant{&v.Since}, instant{&v.Until}, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return v, "", noVersion(number)
	}
	return v, content, err
}

// fileIsHeld reports whether another version of the document has the same file.
func fileIsHeld(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, v Version) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND id = ? AND hash = ?)
		+ (SELECT COUNT(*) FROM document_versions WHERE workspace_id = ? AND document_id = ? AND hash = ? AND number <> ?)`, ws, id, v.Hash, ws, id, v.Hash, v.Number).Scan(&n)
	return n > 0, err
}

// tracesOf finds what a version of a document left: what runs wrote that were going
// while it was in force and read the document, quotations from it, summaries of its
// text, and the runs that read the document, but for the last ones of the other versions.
func tracesOf(v Version, content string) traces {
	return traces{
		readers: fmt.Sprintf(`(SELECT d.run_id FROM run_documents d JOIN runs r ON r.id = d.run_id WHERE d.workspace_id = ? AND d.document_id = ?
			AND r.subject <> d.document_id AND r.created_at <= %d AND (r.finished_at = 0 OR r.finished_at >= %d))`, v.Until.UnixMilli(), v.Since.UnixMilli()),
		runs: fmt.Sprintf(`(SELECT id FROM runs WHERE workspace_id = ? AND subject = ?
			AND id NOT IN (SELECT run_id FROM documents WHERE workspace_id = ? AND id = ?)
			AND id NOT IN (SELECT run_id FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number <> %d))`, v.Number),
		quoted:     fmt.Sprintf(` AND version = %d`, v.Number),
		summarised: ` AND d.text_hash = '` + domain.Hash([]byte(content)) + `'`,
	}
}
