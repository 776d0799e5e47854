package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// SummaryStatus is the progress of a summary.
type SummaryStatus string

// The states of a summary. The last three are the ends of its run, by the same
// names.
const (
	SummaryWaiting SummaryStatus = "waiting"
	SummaryWorking SummaryStatus = "working"
	SummaryAsking  SummaryStatus = "asking" // a person should review it before its last step
	SummaryDone    SummaryStatus = "done"
	SummaryStopped SummaryStatus = "stopped"
	SummaryFailed  SummaryStatus = "failed"
)

// A Summary is a summary that a person ordered. It has lost the sentences that
// were drawn from deleted documents.
type Summary struct {
	ID           domain.SummaryID
	Workspace    domain.WorkspaceID
	Whole        bool              // of the whole library as it was
	Tag          string            // of all documents that had this tag; "" when Whole or when they were chosen singly
	Documents    []SummaryDocument // in the order of the summary
	Focus        string
	Length       string
	Review       bool
	MaxCollapses int
	Run          domain.RunID
	Status       SummaryStatus
	Problem      string
	Condensed    bool
	Warnings     []string
	Edits        []string // by a person, until the run uses them; nil for none
	Sentences    []domain.Sentence
	Citations    []domain.Citation // by number; Document and Text are "" once the source is deleted
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// A SummaryDocument is one document of a summary.
type SummaryDocument struct {
	ID   domain.DocumentID
	Name string // of its file; "" once it is deleted; not stored with the summary
	Hash string // of the summarised text; "" before
}

const summaryColumns = `workspace_id, id, whole, tag, focus, length, review, max_collapses, run_id, status, problem, condensed,
	warnings, edits, created_at, updated_at`

// AddSummaryTx stores a new summary and calls more in the same transaction, as
// AddDocumentTx does. The error is Conflict when the id is taken.
func (l *Ledger) AddSummaryTx(ctx context.Context, s Summary, more func(*sql.Tx) error) error {
	return l.tx(ctx, "add summary", func(tx *sql.Tx, now time.Time) error {
		if s.CreatedAt.IsZero() {
			s.CreatedAt = now
		}
		fresh, err := changed(tx.ExecContext(ctx, `INSERT INTO summaries (`+summaryColumns+`) VALUES (`+sqlio.Marks(16)+`)
			ON CONFLICT (workspace_id, id) DO NOTHING`, s.Workspace, s.ID, flag(s.Whole), s.Tag, s.Focus, s.Length, flag(s.Review), s.MaxCollapses,
			s.Run, s.Status, s.Problem, flag(s.Condensed), column{s.Warnings}, column{s.Edits}, sqlio.Millis(s.CreatedAt), sqlio.Millis(now)))
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is a summary %s already.", s.ID)
		}
		if err := l.writeSummaryParts(ctx, tx, s); err != nil {
			return err
		}
		return more(tx)
	})
}

// UpdateSummary lets f change the stored summary, in one transaction. Its
// workspace, id and CreatedAt stay; UpdatedAt is set. Words of documents that
// are gone are left out.
func (l *Ledger) UpdateSummary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID, f func(*Summary)) (Summary, error) {
	return l.UpdateSummaryTx(ctx, ws, id, f, func(*sql.Tx) error { return nil })
}

// UpdateSummaryTx does what UpdateSummary does and calls more in the same
// transaction, as AddDocumentTx does.
func (l *Ledger) UpdateSummaryTx(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID, f func(*Summary), more func(*sql.Tx) error) (Summary, error) {
	var s Summary
	err := l.tx(ctx, "update summary", func(tx *sql.Tx, now time.Time) error {
		stored, err := summary(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		s = stored
		f(&s)
		s.Workspace, s.ID, s.CreatedAt = ws, id, stored.CreatedAt
		if err := l.writeSummary(ctx, tx, s, now); err != nil {
			return err
		}
		if s, err = summary(ctx, tx, ws, id, ""); err != nil {
			return err
		}
		return more(tx)
	})
	return s, err
}

// DeleteSummary removes a summary with the events, the thread and the recorded calls of its run,
// or returns an error of kind NotFound.
func (l *Ledger) DeleteSummary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) error {
	return l.erase(ctx, "delete summary", func(tx *sql.Tx, _ time.Time) error {
		s, err := summary(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		for _, d := range []struct {
			statement string
			id        any
		}{
			{`DELETE FROM summaries WHERE workspace_id = ? AND id = ?`, id}, // its parts go with it
			{`DELETE FROM events WHERE workspace_id = ? AND run_id = ?`, s.Run},
			{`DELETE FROM threads WHERE id IN (SELECT id FROM runs WHERE workspace_id = ? AND id = ?)`, s.Run},
			{`DELETE FROM model_calls WHERE workspace_id = ? AND run_id = ? AND run_id <> ''`, s.Run},
			{`DELETE FROM run_documents WHERE workspace_id = ? AND run_id = ?`, s.Run},
		} {
			if _, err := tx.ExecContext(ctx, d.statement, ws, d.id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Ledger) writeSummary(ctx context.Context, tx *sql.Tx, s Summary, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE summaries SET whole = ?, tag = ?, focus = ?, length = ?, review = ?, max_collapses = ?, run_id = ?,
		status = ?, problem = ?, condensed = ?, warnings = ?, edits = ?, updated_at = ? WHERE workspace_id = ? AND id = ?`,
		flag(s.Whole), s.Tag, s.Focus, s.Length, flag(s.Review), s.MaxCollapses, s.Run, s.Status, s.Problem, flag(s.Condensed), column{s.Warnings}, column{s.Edits},
		sqlio.Millis(now), s.Workspace, s.ID)
	if err != nil {
		return err
	}
	return l.writeSummaryParts(ctx, tx, s)
}

func scanSummary(scan func(...any) error) (s Summary, err error) {
	return s, scan(&s.Workspace, &s.ID, &s.Whole, &s.Tag, &s.Focus, &s.Length, &s.Review, &s.MaxCollapses, &s.Run, &s.Status, &s.Problem,
		&s.Condensed, column{&s.Warnings}, column{&s.Edits}, instant{&s.CreatedAt}, instant{&s.UpdatedAt})
}

// Summary returns a summary, or an error of kind NotFound.
func (l *Ledger) Summary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) (Summary, error) {
	s, err := summary(ctx, l.reader, ws, id, "")
	return s, l.wrap("read summary", err)
}

func summary(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.SummaryID, lock string) (Summary, error) {
	row := q.QueryRowContext(ctx, `SELECT `+summaryColumns+` FROM summaries WHERE workspace_id = ? AND id = ?`+lock, ws, id)
	s, err := scanSummary(row.Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return s, domain.Errorf(domain.NotFound, "There is no summary %s here.", id)
	}
	if err != nil {
		return s, err
	}
	one := []Summary{s}
	err = addSummaryParts(ctx, q, ws, one)
	return one[0], err
}

// Summaries lists summaries, newest first and then by id, and counts all; all are
// listed when n is 0.
func (l *Ledger) Summaries(ctx context.Context, ws domain.WorkspaceID, n, offset int) ([]Summary, int, error) {
	var total int
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM summaries WHERE workspace_id = ?`, ws).Scan(&total); err != nil {
		return nil, 0, l.wrap("count summaries", err)
	}
	scan := func(rows *sql.Rows) (Summary, error) { return scanSummary(rows.Scan) }
	found, err := sqlio.Collect(ctx, l.reader, scan, `SELECT `+summaryColumns+` FROM summaries WHERE workspace_id = ?
		ORDER BY created_at DESC, id LIMIT ? OFFSET ?`, ws, limit(n), offset)
	if err != nil {
		return nil, 0, l.wrap("list summaries", err)
	}
	return found, total, l.wrap("read summaries", addSummaryParts(ctx, l.reader, ws, found))
}

// SummariesOf lists the newest n summaries that a document is in, without their
// text.
func (l *Ledger) SummariesOf(ctx context.Context, ws domain.WorkspaceID, document domain.DocumentID, n int) ([]Summary, error) {
	scan := func(rows *sql.Rows) (Summary, error) { return scanSummary(rows.Scan) }
	found, err := sqlio.Collect(ctx, l.reader, scan, `SELECT `+summaryColumns+` FROM summaries s WHERE workspace_id = ?
		AND EXISTS (SELECT 1 FROM summary_documents d WHERE d.workspace_id = s.workspace_id AND d.summary_id = s.id AND d.document_id = ?)
		ORDER BY created_at DESC, id LIMIT ?`, ws, document, n)
	if err == nil {
		err = addSummaryDocuments(ctx, l.reader, ws, found)
	}
	return found, l.wrap("list summaries of a document", err)
}

// SummaryHeads returns summaries with their documents, without their text. Ids
// that are gone are left out.
func (l *Ledger) SummaryHeads(ctx context.Context, ws domain.WorkspaceID, ids []domain.SummaryID) ([]Summary, error) {
	scan := func(rows *sql.Rows) (Summary, error) { return scanSummary(rows.Scan) }
	found, err := collectIn(ctx, l.reader, scan, `SELECT `+summaryColumns+` FROM summaries WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids)
	if err == nil {
		err = addSummaryDocuments(ctx, l.reader, ws, found)
	}
	return found, l.wrap("read summaries", err)
}
