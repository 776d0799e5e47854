package ledger

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// writeSummaryParts replaces the documents, lines and citations of a summary,
// without words of documents that are gone.
func (l *Ledger) writeSummaryParts(ctx context.Context, tx *sql.Tx, s Summary) error {
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
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE workspace_id = ? AND summary_id = ?`, s.Workspace, s.ID); err != nil {
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
		if err := insert(ctx, tx, part.into, part.rows, ""); err != nil {
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
			if _, err := tx.ExecContext(ctx, d.statement, d.args(s.Workspace, id)...); err != nil {
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
