package ledger

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// writeSummaryParts replaces what hangs on a summary: its documents, lines and
// citations. Of documents that are gone no word stays.
func (l *Ledger) writeSummaryParts(ctx context.Context, tx *sql.Tx, s Summary) error {
	var made []domain.DocumentID
	for _, d := range s.Documents {
		made = append(made, d.ID)
	}
	for _, c := range s.Citations {
		made = append(made, c.DocumentID)
	}
	if err := l.holdDocuments(ctx, tx, s.Workspace, made); err != nil {
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
		{`INSERT INTO summary_citations (workspace_id, summary_id, n, document_id, page, span_start, span_end, text)`, citationRows(s)},
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
		rows = append(rows, []any{s.Workspace, s.ID, c.N, c.DocumentID, c.Page, c.Span.Start, c.Span.End, c.Text})
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

// forgetGone removes the words of documents that are gone, as if they were
// deleted only now.
func forgetGone(ctx context.Context, tx *sql.Tx, s Summary) error {
	gone, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.DocumentID], `SELECT s.document_id FROM summary_documents s
		LEFT JOIN documents d ON d.workspace_id = s.workspace_id AND d.id = s.document_id
		WHERE s.workspace_id = ? AND s.summary_id = ? AND d.id IS NULL`, s.Workspace, s.ID)
	if err != nil {
		return err
	}
	for _, id := range gone {
		for _, d := range summaryDeletions {
			if _, err := tx.ExecContext(ctx, d.statement, d.args(s.Workspace, id)...); err != nil {
				return fmt.Errorf("remove %s: %w", d.what, err)
			}
		}
	}
	return nil
}

// made selects, of a table with an alias t, what belongs to summaries of a
// document.
func made(id string) string {
	return `EXISTS (SELECT 1 FROM summary_documents d WHERE d.workspace_id = t.workspace_id AND d.summary_id = t.` + id + `
		AND d.workspace_id = ? AND d.document_id = ?)`
}

// summaryDeletions remove a document's words from summaries: the lines that
// were drawn from it, those of which nobody can tell, and its quotations.
// Lines that are drawn from other documents alone stay.
var summaryDeletions = []deletion{
	{"lines of summaries", `DELETE FROM summary_lines AS t WHERE ` + made("summary_id") + ` AND (
		NOT EXISTS (SELECT 1 FROM summary_links l WHERE l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position)
		OR EXISTS (SELECT 1 FROM summary_links l JOIN summary_citations c
			ON c.workspace_id = l.workspace_id AND c.summary_id = l.summary_id AND c.n = l.n
			WHERE l.workspace_id = t.workspace_id AND l.summary_id = t.summary_id AND l.position = t.position
			AND c.workspace_id = ? AND c.document_id = ?))`},
	{"quotations of summaries", `UPDATE summary_citations SET text = '' WHERE workspace_id = ? AND document_id = ?`},
	{"notes of summaries", `UPDATE summaries AS t SET edits = 'null', warnings = 'null' WHERE ` + made("id")},
}

func readSummaryParts(ctx context.Context, q querier, s *Summary) (err error) {
	s.Documents, err = sqlio.Collect(ctx, q, func(rows *sql.Rows) (d SummaryDocument, err error) {
		return d, rows.Scan(&d.ID, &d.Hash, &d.Name)
	}, `SELECT s.document_id, s.text_hash, COALESCE(d.name, '') FROM summary_documents s
		LEFT JOIN documents d ON d.workspace_id = s.workspace_id AND d.id = s.document_id
		WHERE s.workspace_id = ? AND s.summary_id = ? ORDER BY s.position`, s.Workspace, s.ID)
	if err != nil {
		return err
	}
	s.Citations, err = sqlio.Collect(ctx, q, func(rows *sql.Rows) (c domain.Citation, err error) {
		return c, rows.Scan(&c.N, &c.Document, &c.DocumentID, &c.Page, &c.Span.Start, &c.Span.End, &c.Text)
	}, `SELECT c.n, COALESCE(d.name, ''), c.document_id, c.page, c.span_start, c.span_end, c.text FROM summary_citations c
		LEFT JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
		WHERE c.workspace_id = ? AND c.summary_id = ? ORDER BY c.n`, s.Workspace, s.ID)
	if err != nil {
		return err
	}
	return readSummaryLines(ctx, q, s)
}

func readSummaryLines(ctx context.Context, q querier, s *Summary) error {
	type link struct{ position, n int }
	links, err := sqlio.Collect(ctx, q, func(rows *sql.Rows) (l link, err error) { return l, rows.Scan(&l.position, &l.n) },
		`SELECT position, n FROM summary_links WHERE workspace_id = ? AND summary_id = ? ORDER BY position, n`, s.Workspace, s.ID)
	if err != nil {
		return err
	}
	of := map[int][]int{}
	for _, l := range links {
		of[l.position] = append(of[l.position], l.n)
	}
	s.Sentences, err = sqlio.Collect(ctx, q, func(rows *sql.Rows) (line domain.Sentence, err error) {
		position := 0
		err = rows.Scan(&position, &line.Paragraph, &line.Text)
		line.Citations = append([]int{}, of[position]...)
		line.Supported = len(line.Citations) > 0
		return line, err
	}, `SELECT position, paragraph, text FROM summary_lines WHERE workspace_id = ? AND summary_id = ? ORDER BY position`, s.Workspace, s.ID)
	return err
}
