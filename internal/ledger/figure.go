package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
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

// addFigureCitations gives the charts of messages what they cite.
func addFigureCitations(ctx context.Context, q querier, ws domain.WorkspaceID, at map[domain.MessageID]*Message, drawn []domain.MessageID) error {
	_, err := collectIn(ctx, q, func(rows *sql.Rows) (c domain.Citation, err error) {
		var of domain.MessageID
		var figure int
		if err := rows.Scan(append([]any{&of, &figure}, citationFields(&c)...)...); err != nil {
			return c, err
		}
		if figures := at[of].Figures; figure < len(figures) && figures[figure].Chart != nil {
			figures[figure].Chart.Citations = append(figures[figure].Chart.Citations, c)
		}
		return c, nil
	}, `SELECT message_id, figure, `+citationColumns+` FROM figure_citations WHERE workspace_id = ? AND message_id IN (%s) ORDER BY message_id, figure, n`,
		[]any{ws}, drawn)
	if err != nil {
		return fmt.Errorf("read citations of charts: %w", err)
	}
	return nil
}
