package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// writeCitations replaces the citations of a message and of its charts.
func (l *Ledger) writeCitations(ctx context.Context, tx *sql.Tx, m Message) error {
	var cited []domain.DocumentID
	for _, c := range m.Citations {
		cited = append(cited, c.DocumentID)
	}
	for _, f := range m.Figures {
		if f.Chart == nil {
			continue
		}
		for _, c := range f.Chart.Citations {
			cited = append(cited, c.DocumentID)
		}
	}
	if err := l.holdDocuments(ctx, tx, m.Workspace, cited); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM citations WHERE workspace_id = ? AND message_id = ?`, m.Workspace, m.ID); err != nil {
		return err
	}
	for _, c := range m.Citations {
		if err := writeCitation(ctx, tx, "citations (workspace_id, message_id, "+citationColumns+")", []any{m.Workspace, m.ID}, m.Workspace, c); err != nil {
			return fmt.Errorf("write citation %d: %w", c.N, err)
		}
		if err := writeQuotation(ctx, tx, m, c); err != nil {
			return fmt.Errorf("write quotation %d: %w", c.N, err)
		}
	}
	return l.writeFigureCitations(ctx, tx, m)
}

const citationColumns = "n, document, document_id, chunk_id, page, span_start, span_end, version, place, text"

func citationFields(c *domain.Citation) []any {
	return []any{&c.N, &c.Document, &c.DocumentID, &c.Chunk, &c.Page, &c.Span.Start, &c.Span.End, &c.Version, &c.Place, &c.Text}
}

// writeCitation adds a citation to a table whose columns are a key's and
// citationColumns. It leaves out the words of a document, or of a version, that is gone.
func writeCitation(ctx context.Context, tx *sql.Tx, into string, key []any, ws domain.WorkspaceID, c domain.Citation) error {
	args := slices.Concat(key, []any{c.N, c.Document, c.DocumentID, c.Chunk, c.Page, c.Span.Start, c.Span.End, c.Version})
	const ifThere = `CASE WHEN EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND id = ? AND version = ?)
		OR EXISTS (SELECT 1 FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number = ?) THEN ? ELSE '' END`
	there := []any{ws, c.DocumentID, c.Version, ws, c.DocumentID, c.Version}
	_, err := tx.ExecContext(ctx, `INSERT INTO `+into+` VALUES (`+sqlio.Marks(len(args))+`, `+ifThere+`, `+ifThere+`)`,
		slices.Concat(args, there, []any{c.Place}, there, []any{c.Text})...)
	return err
}

// writeQuotation adds to a citation of an answer what a quotation has, without the words of a document that is gone.
func writeQuotation(ctx context.Context, tx *sql.Tx, m Message, c domain.Citation) error {
	if len(c.Marks) == 0 && !c.Close && c.Tie == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE citations SET marks = ?, is_close = ?, tie = CASE WHEN text = '' THEN '' ELSE ? END
		WHERE workspace_id = ? AND message_id = ? AND n = ?`, column{c.Marks}, flag(c.Close), c.Tie, m.Workspace, m.ID, c.N)
	return err
}

// addCitations fills in the citations of messages and of their charts.
func addCitations(ctx context.Context, q querier, ws domain.WorkspaceID, messages []Message) error {
	at := make(map[domain.MessageID]*Message, len(messages))
	var ids, drawn []domain.MessageID
	for i := range messages {
		m := &messages[i]
		at[m.ID] = m
		ids = append(ids, m.ID)
		if slices.ContainsFunc(m.Figures, func(f domain.Figure) bool { return f.Chart != nil }) {
			drawn = append(drawn, m.ID)
		}
	}
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.MessageID
		var c domain.Citation
		if err := rows.Scan(append([]any{&of, column{&c.Marks}, &c.Close, &c.Tie}, citationFields(&c)...)...); err != nil {
			return err
		}
		at[of].Citations = append(at[of].Citations, c)
		return nil
	}, `SELECT message_id, marks, is_close, tie, `+citationColumns+` FROM citations WHERE workspace_id = ? AND message_id IN (%s) ORDER BY message_id, n`, []any{ws}, ids)
	if err != nil {
		return fmt.Errorf("read citations: %w", err)
	}
	return addFigureCitations(ctx, q, ws, at, drawn)
}
