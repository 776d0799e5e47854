package ledger

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// writeCitations replaces a message's citations and those of its charts. The
// quotation of a document that is gone is left out.
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
		_, err := tx.ExecContext(ctx, `INSERT INTO citations
			(workspace_id, message_id, n, document, document_id, chunk_id, page, span_start, span_end, text)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,
				CASE WHEN EXISTS (SELECT 1 FROM documents WHERE workspace_id = ? AND id = ?) THEN ? ELSE '' END)`,
			m.Workspace, m.ID, c.N, c.Document, c.DocumentID, c.Chunk, c.Page, c.Span.Start, c.Span.End,
			m.Workspace, c.DocumentID, c.Text)
		if err != nil {
			return fmt.Errorf("write citation %d: %w", c.N, err)
		}
	}
	return l.writeFigureCitations(ctx, tx, m)
}

func citations(ctx context.Context, q querier, m Message) ([]domain.Citation, error) {
	return sqlio.Collect(ctx, q, func(rows *sql.Rows) (c domain.Citation, err error) {
		return c, rows.Scan(&c.N, &c.Document, &c.DocumentID, &c.Chunk, &c.Page, &c.Span.Start, &c.Span.End, &c.Text)
	}, `SELECT n, document, document_id, chunk_id, page, span_start, span_end, text
		FROM citations WHERE workspace_id = ? AND message_id = ? ORDER BY n`, m.Workspace, m.ID)
}
