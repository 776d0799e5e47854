package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// figuresColumn are figures as they stand in their column: without citations,
// which have a table.
func figuresColumn(figures []domain.Figure) (string, error) {
	bare := slices.Clone(figures)
	for i, f := range bare {
		if f.Chart != nil {
			chart := *f.Chart
			chart.Citations = nil
			bare[i].Chart = &chart
		}
	}
	return encode(bare)
}

// writeFigureCitations replaces what a message's charts cite. The quotation of a
// document that is gone is left out.
func (l *Ledger) writeFigureCitations(ctx context.Context, tx *sql.Tx, m Message) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM figure_citations WHERE workspace_id = ? AND message_id = ?`, m.Workspace, m.ID); err != nil {
		return err
	}
	for i, f := range m.Figures {
		if f.Chart == nil {
			continue
		}
		for _, c := range f.Chart.Citations {
			err := writeCitation(ctx, tx, "figure_citations (workspace_id, message_id, figure, "+citationColumns+")", []any{m.Workspace, m.ID, i}, m.Workspace, c)
			if err != nil {
				return fmt.Errorf("write citation %d of chart %d: %w", c.N, i+1, err)
			}
		}
	}
	return nil
}

// readFigureCitations gives a message's charts what they cite.
func readFigureCitations(ctx context.Context, q querier, m Message) error {
	if !slices.ContainsFunc(m.Figures, func(f domain.Figure) bool { return f.Chart != nil }) {
		return nil
	}
	type row struct {
		figure int
		domain.Citation
	}
	rows, err := sqlio.Collect(ctx, q, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(append([]any{&r.figure}, citationFields(&r.Citation)...)...)
	}, `SELECT figure, `+citationColumns+` FROM figure_citations WHERE workspace_id = ? AND message_id = ? ORDER BY figure, n`, m.Workspace, m.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.figure < len(m.Figures) && m.Figures[r.figure].Chart != nil {
			c := m.Figures[r.figure].Chart
			c.Citations = append(c.Citations, r.Citation)
		}
	}
	return nil
}
