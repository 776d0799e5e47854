package ledger

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A deletion removes one kind of trace of a document. The placeholders of its
// statement alternate between the workspace and the document's id.
type deletion struct{ what, statement string }

// traces are the conditions that find what a document left.
type traces struct {
	readers    string // the runs whose events name it
	runs       string // the runs about it
	quoted     string // narrows citations, by their version
	summarised string // narrows the documents d of summaries
}

// whole finds everything that a document left.
var whole = traces{
	readers: `(SELECT run_id FROM run_documents WHERE workspace_id = ? AND document_id = ?)`,
	runs:    `(SELECT id FROM runs WHERE workspace_id = ? AND subject = ?)`,
}

// deletions remove a document.
var deletions = append(whole.deletions(),
	deletion{"addresses of crawls that have ended", `DELETE FROM threads WHERE id IN (SELECT r.id FROM runs r JOIN documents d ON d.workspace_id = r.workspace_id
		WHERE r.kind = 'crawl' AND r.status IN ('done', 'failed', 'stopped') AND d.source = 'web' AND d.workspace_id = ? AND d.id = ?)`},
	deletion{"its schemas", `DELETE FROM schemas WHERE workspace_id = ? AND document_id = ?`},
	deletion{"the document", `DELETE FROM documents WHERE workspace_id = ? AND id = ?`},
)

// deletions run in this order. Foreign keys remove the rows that refer to the
// document or to a run. The rows of run_documents stay: they tell which runs
// have read the document until these end. The event that ends a run stays too:
// its watchers wait for it, and it has no words but the reason of a failure. No
// other event can look like it, for a quotation mark within a text is escaped.
func (t traces) deletions() []deletion {
	return slices.Concat(t.summaryDeletions(), []deletion{
		{"quotations", `UPDATE citations SET text = '', place = '', tie = '' WHERE workspace_id = ? AND document_id = ?` + t.quoted},
		{"quotations of charts", `UPDATE figure_citations SET text = '', place = '' WHERE workspace_id = ? AND document_id = ?` + t.quoted},
		{"its model calls", `DELETE FROM model_calls WHERE workspace_id = ? AND document_id = ?`},
		{"model calls of its runs", `DELETE FROM model_calls WHERE run_id IN ` + t.runs},
		{"model calls of its readers", `DELETE FROM model_calls WHERE run_id IN ` + t.readers},
		{"what was said of branches that have read it", `DELETE FROM feedback WHERE run_id IN (SELECT b.run_id FROM branches b WHERE b.run_id IN ` + t.readers + `)`},
		{"branches that have read it", `DELETE FROM branches WHERE run_id IN ` + t.readers},
		{"replies that have read it", `UPDATE evaluation_replies SET answer = '' WHERE run_id IN ` + t.readers},
		{"threads of its runs", `DELETE FROM threads WHERE id IN ` + t.runs},
		{"threads of its readers", `DELETE FROM threads WHERE id IN ` + t.readers},
		{"its runs", `DELETE FROM runs WHERE id IN ` + t.runs},
		{"titles of summaries' runs", `UPDATE runs SET title = '' WHERE id IN (SELECT r.id FROM summary_documents d
		JOIN runs r ON r.workspace_id = d.workspace_id AND r.subject = d.summary_id WHERE d.workspace_id = ? AND d.document_id = ?)`},
		{"work of its readers", `UPDATE runs SET stop_asked = 1 WHERE status = 'running' AND id IN ` + t.readers},
		{"events of its readers", `DELETE FROM events WHERE json NOT LIKE '%"kind":"settled"%' AND run_id IN ` + t.readers},
		{"the sleep of its readers", `UPDATE runs SET status = 'waiting', next_try = 0 WHERE status NOT IN ('running', 'done', 'failed', 'stopped') AND id IN ` + t.readers},
	})
}

func (d deletion) args(ws domain.WorkspaceID, id domain.DocumentID) []any {
	return slices.Repeat([]any{ws, id}, strings.Count(d.statement, "?")/2)
}

// DeleteDocument removes a document and its words from every table and returns
// the number of the change. The package comment lists what stays. The words
// leave the disk with the database's next checkpoint.
func (l *Ledger) DeleteDocument(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (seq int64, err error) {
	err = l.erase(ctx, "delete document", func(tx *sql.Tx, now time.Time) error {
		if _, err := document(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		seq, err = l.remove(ctx, tx, ws, id, false, now)
		return err
	})
	return seq, err
}

// remove deletes a document that is locked. Unless keep is set, answers lose its sentences.
func (l *Ledger) remove(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, keep bool, now time.Time) (int64, error) {
	if !keep {
		err := l.stubAnswers(ctx, tx, ws, id, whole, func() (loss, error) { return lostWith(ctx, tx, ws, id) })
		if err != nil {
			return 0, l.wrap("remove its sentences from answers", err)
		}
	}
	for _, d := range deletions {
		if _, err := tx.ExecContext(ctx, d.statement, d.args(ws, id)...); err != nil {
			return 0, l.wrap("remove "+d.what, err)
		}
	}
	seq, err := appendChange(ctx, tx, ws, Change{Document: id, Deleted: true}, now)
	if err != nil {
		return 0, err
	}
	return seq, l.forget(ctx, tx, ws)
}
