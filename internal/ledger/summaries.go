package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
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

var summaryTable = sqlio.Table[Summary]{Name: "summaries", Row: func(s *Summary) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &s.Workspace, "id key", &s.ID, "whole", &s.Whole, "tag", &s.Tag, "focus", &s.Focus, "length", &s.Length, "review", &s.Review,
		"max_collapses", &s.MaxCollapses, "run_id", &s.Run, "status", &s.Status, "problem", &s.Problem, "condensed", &s.Condensed, "warnings", &s.Warnings, "edits", &s.Edits,
		"created_at fixed", &s.CreatedAt, "updated_at", &s.UpdatedAt,
	}
}}

// AddSummaryTx stores a new summary and calls more in the same transaction, as
// AddDocumentTx does. The error is Conflict when the id is taken.
func (l SummaryStore) AddSummaryTx(ctx context.Context, s Summary, more func(*sql.Tx) error) error {
	return l.tx(ctx, "add summary", func(tx *sql.Tx, now time.Time) error {
		if s.CreatedAt.IsZero() {
			s.CreatedAt = now
		}
		s.UpdatedAt = now
		fresh, err := summaryTable.Insert(ctx, tx, &s)
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
func (l SummaryStore) UpdateSummary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID, f func(*Summary)) (Summary, error) {
	return l.UpdateSummaryTx(ctx, ws, id, f, func(*sql.Tx) error { return nil })
}

// UpdateSummaryTx does what UpdateSummary does and calls more in the same
// transaction, as AddDocumentTx does.
func (l SummaryStore) UpdateSummaryTx(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID, f func(*Summary), more func(*sql.Tx) error) (Summary, error) {
	var s Summary
	err := l.tx(ctx, "update summary", func(tx *sql.Tx, now time.Time) error {
		stored, err := summary(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		s = stored
		f(&s)
		s.Workspace, s.ID, s.CreatedAt, s.UpdatedAt = ws, id, stored.CreatedAt, now
		if err := summaryTable.Update(ctx, tx, &stored, &s); err != nil {
			return err
		}
		if err := l.writeSummaryParts(ctx, tx, s); err != nil {
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
func (l SummaryStore) DeleteSummary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) error {
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
			if err := sqlio.Exec(ctx, tx, d.statement, ws, d.id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Summary returns a summary, or an error of kind NotFound.
func (l SummaryStore) Summary(ctx context.Context, ws domain.WorkspaceID, id domain.SummaryID) (Summary, error) {
	s, err := summary(ctx, l.reader, ws, id, "")
	return s, l.wrap("read summary", err)
}

func summary(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.SummaryID, lock string) (Summary, error) {
	s, err := read(ctx, q, summaryTable, domain.Errorf(domain.NotFound, "There is no summary %s here.", id), `WHERE workspace_id = ? AND id = ?`+lock, ws, id)
	if err != nil {
		return s, err
	}
	one := []Summary{s}
	err = addSummaryParts(ctx, q, ws, one)
	return one[0], err
}

// Summaries lists summaries, newest first and then by id, and counts all; all are
// listed when n is 0.
func (l SummaryStore) Summaries(ctx context.Context, ws domain.WorkspaceID, n, offset int) ([]Summary, int, error) {
	var total int
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM summaries WHERE workspace_id = ?`, ws).Scan(&total); err != nil {
		return nil, 0, l.wrap("count summaries", err)
	}
	found, err := sqlio.Collect(ctx, l.reader, summaryTable.Scan, summaryTable.Select()+`WHERE workspace_id = ?
		ORDER BY created_at DESC, id LIMIT ? OFFSET ?`, ws, limit(n), offset)
	if err != nil {
		return nil, 0, l.wrap("list summaries", err)
	}
	return found, total, l.wrap("read summaries", addSummaryParts(ctx, l.reader, ws, found))
}

// SummariesOf lists the newest n summaries that a document is in, without their
// text.
func (l SummaryStore) SummariesOf(ctx context.Context, ws domain.WorkspaceID, document domain.DocumentID, n int) ([]Summary, error) {
	found, err := sqlio.Collect(ctx, l.reader, summaryTable.Scan, summaryTable.Select()+`s WHERE workspace_id = ?
		AND EXISTS (SELECT 1 FROM summary_documents d WHERE d.workspace_id = s.workspace_id AND d.summary_id = s.id AND d.document_id = ?)
		ORDER BY created_at DESC, id LIMIT ?`, ws, document, n)
	if err == nil {
		err = addSummaryDocuments(ctx, l.reader, ws, found)
	}
	return found, l.wrap("list summaries of a document", err)
}

// SummaryHeads returns summaries with their documents, without their text. Ids
// that are gone are left out.
func (l SummaryStore) SummaryHeads(ctx context.Context, ws domain.WorkspaceID, ids []domain.SummaryID) ([]Summary, error) {
	found, err := collectIn(ctx, l.reader, summaryTable.Scan, summaryTable.Select()+`WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, ids)
	if err == nil {
		err = addSummaryDocuments(ctx, l.reader, ws, found)
	}
	return found, l.wrap("read summaries", err)
}

// writeSummaryParts replaces the documents, lines and citations of a summary,
// without words of documents that are gone.
func (l *store) writeSummaryParts(ctx context.Context, tx *sql.Tx, s Summary) error {
	var named []domain.DocumentID
	for _, d := range s.Documents {
		named = append(named, d.ID)
	}
	for _, c := range s.Citations {
		named = append(named, c.DocumentID)
	}
	if err := l.holdDocuments(ctx, tx, s.Workspace, named); err != nil {
		return err
	}
	for _, table := range []string{"summary_documents", "summary_lines", "summary_citations"} {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM `+table+` WHERE workspace_id = ? AND summary_id = ?`, s.Workspace, s.ID); err != nil {
			return fmt.Errorf("replace %s: %w", table, err)
		}
	}
	for _, part := range []struct {
		into string
		rows [][]any
	}{
		{`INSERT INTO summary_documents (workspace_id, summary_id, position, document_id, text_hash)`, documentRows(s)},
		{`INSERT INTO summary_lines (workspace_id, summary_id, position, paragraph, text)`, lineRows(s)},
		{`INSERT INTO summary_citations (workspace_id, summary_id, n, document_id, version, page, span_start, span_end, place, text)`, citationRows(s)},
		{`INSERT INTO summary_links (workspace_id, summary_id, position, n)`, linkRows(s)},
	} {
		if err := sqlio.InsertRows(ctx, tx, part.into, part.rows, ""); err != nil {
			return fmt.Errorf("write a summary: %w", err)
		}
	}
	return forgetGone(ctx, tx, s)
}

func documentRows(s Summary) (rows [][]any) {
	for i, d := range s.Documents {
		rows = append(rows, []any{s.Workspace, s.ID, i, d.ID, d.Hash})
	}
	return rows
}

func lineRows(s Summary) (rows [][]any) {
	for i, line := range s.Sentences {
		rows = append(rows, []any{s.Workspace, s.ID, i, line.Paragraph, line.Text})
	}
	return rows
}

func citationRows(s Summary) (rows [][]any) {
	for _, c := range s.Citations {
		rows = append(rows, []any{s.Workspace, s.ID, c.N, c.DocumentID, c.Version, c.Page, c.Span.Start, c.Span.End, c.Place, c.Text})
	}
	return rows
}

func linkRows(s Summary) (rows [][]any) {
	for i, line := range s.Sentences {
		for _, n := range line.Citations {
			rows = append(rows, []any{s.Workspace, s.ID, i, n})
		}
	}
	return rows
}

// forgetGone removes the words of documents that are gone.
func forgetGone(ctx context.Context, tx *sql.Tx, s Summary) error {
	gone, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT s.document_id FROM summary_documents s
		LEFT JOIN documents d ON d.workspace_id = s.workspace_id AND d.id = s.document_id
		WHERE s.workspace_id = ? AND s.summary_id = ? AND d.id IS NULL`, s.Workspace, s.ID)
	if err != nil {
		return err
	}
	for _, id := range gone {
		for _, d := range whole.summaryDeletions() {
			if err := sqlio.Exec(ctx, tx, d.statement, d.args(s.Workspace, id)...); err != nil {
				return fmt.Errorf("remove %s: %w", d.what, err)
			}
		}
	}
	return nil
}

// ofDocument returns the condition that a row of table t belongs to a summary of a
// document. id is the column of the summary's id.
func (t traces) ofDocument(id string) string {
	return `EXISTS (SELECT 1 FROM summary_documents d WHERE d.workspace_id = t.workspace_id AND d.summary_id = t.` + id + `
		AND d.workspace_id = ? AND d.document_id = ?` + t.summarised + `)`
}

// summaryDeletions remove a document's words from summaries: its quotations and
// the lines that were drawn from it or whose source is unknown.
func (t traces) summaryDeletions() []deletion {
	return []deletion{
		{"lines of summaries", `DELETE FROM summary_lines AS t WHERE ` + t.ofDocument("summary_id") + ` AND (
		NOT EXISTS (SELECT 1 FROM summary_links l WHERE l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position)
		OR EXISTS (SELECT 1 FROM summary_links l JOIN summary_citations c
			ON c.workspace_id = l.workspace_id AND c.summary_id = l.summary_id AND c.n = l.n
			WHERE l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position
			AND c.workspace_id = ? AND c.document_id = ?` + t.quoted + `))`},
		{"quotations of summaries", `UPDATE summary_citations SET text = '', place = '' WHERE workspace_id = ? AND document_id = ?` + t.quoted},
		{"notes of summaries", `UPDATE summaries AS t SET edits = 'null', warnings = 'null' WHERE ` + t.ofDocument("id")},
	}
}

// addSummaryParts fills in the documents, lines and citations of summaries.
func addSummaryParts(ctx context.Context, q querier, ws domain.WorkspaceID, summaries []Summary) error {
	if err := addSummaryDocuments(ctx, q, ws, summaries); err != nil {
		return err
	}
	at, ids := summariesByID(summaries)
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.SummaryID
		var c domain.Citation
		if err := rows.Scan(&of, &c.N, &c.Document, &c.DocumentID, &c.Version, &c.Page, &c.Span.Start, &c.Span.End, &c.Place, &c.Text); err != nil {
			return err
		}
		at[of].Citations = append(at[of].Citations, c)
		return nil
	}, `SELECT c.summary_id, c.n, COALESCE(d.name, ''), c.document_id, c.version, c.page, c.span_start, c.span_end, c.place, c.text FROM summary_citations c
		LEFT JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
		WHERE c.workspace_id = ? AND c.summary_id IN (%s) ORDER BY c.summary_id, c.n`, []any{ws}, ids)
	if err != nil {
		return fmt.Errorf("read the citations of summaries: %w", err)
	}
	return addSummaryLines(ctx, q, ws, summaries)
}

func summariesByID(summaries []Summary) (map[domain.SummaryID]*Summary, []domain.SummaryID) {
	at, ids := make(map[domain.SummaryID]*Summary, len(summaries)), make([]domain.SummaryID, len(summaries))
	for i := range summaries {
		ids[i] = summaries[i].ID
		at[ids[i]] = &summaries[i]
	}
	return at, ids
}

func addSummaryDocuments(ctx context.Context, q querier, ws domain.WorkspaceID, summaries []Summary) error {
	at, ids := summariesByID(summaries)
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.SummaryID
		var d SummaryDocument
		if err := rows.Scan(&of, &d.ID, &d.Hash, &d.Name); err != nil {
			return err
		}
		at[of].Documents = append(at[of].Documents, d)
		return nil
	}, `SELECT s.summary_id, s.document_id, s.text_hash, COALESCE(d.name, '') FROM summary_documents s
		LEFT JOIN documents d ON d.workspace_id = s.workspace_id AND d.id = s.document_id
		WHERE s.workspace_id = ? AND s.summary_id IN (%s) ORDER BY s.summary_id, s.position`, []any{ws}, ids)
	if err != nil {
		return fmt.Errorf("read the documents of summaries: %w", err)
	}
	return nil
}

func addSummaryLines(ctx context.Context, q querier, ws domain.WorkspaceID, summaries []Summary) error {
	at, ids := summariesByID(summaries)
	type line struct {
		of       domain.SummaryID
		position int
	}
	cited := map[line][]int{}
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var l line
		var n int
		err := rows.Scan(&l.of, &l.position, &n)
		cited[l] = append(cited[l], n)
		return err
	}, `SELECT summary_id, position, n FROM summary_links WHERE workspace_id = ? AND summary_id IN (%s) ORDER BY summary_id, position, n`, []any{ws}, ids)
	if err != nil {
		return fmt.Errorf("read the links of summaries: %w", err)
	}
	err = eachIn(ctx, q, func(rows *sql.Rows) error {
		var l line
		var s domain.Sentence
		if err := rows.Scan(&l.of, &l.position, &s.Paragraph, &s.Text); err != nil {
			return err
		}
		s.Citations = append([]int{}, cited[l]...)
		s.Supported = len(s.Citations) > 0
		at[l.of].Sentences = append(at[l.of].Sentences, s)
		return nil
	}, `SELECT summary_id, position, paragraph, text FROM summary_lines WHERE workspace_id = ? AND summary_id IN (%s)
		ORDER BY summary_id, position`, []any{ws}, ids)
	if err != nil {
		return fmt.Errorf("read the lines of summaries: %w", err)
	}
	return nil
}
