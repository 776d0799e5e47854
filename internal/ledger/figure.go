package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// figuresColumn returns figures as stored: without the citations of their
// charts, which have a table.
func figuresColumn(figures []domain.Figure) column {
	bare := slices.Clone(figures)
	for i, f := range bare {
		if f.Chart != nil {
			chart := *f.Chart
			chart.Citations = nil
			bare[i].Chart = &chart
		}
	}
	return column{bare}
}

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

func addFigureCitations(ctx context.Context, q querier, ws domain.WorkspaceID, at map[domain.MessageID]*Message, drawn []domain.MessageID) error {
	err := eachIn(ctx, q, func(rows *sql.Rows) error {
		var of domain.MessageID
		var figure int
		var c domain.Citation
		if err := rows.Scan(append([]any{&of, &figure}, citationFields(&c)...)...); err != nil {
			return err
		}
		if figures := at[of].Figures; figure < len(figures) && figures[figure].Chart != nil {
			figures[figure].Chart.Citations = append(figures[figure].Chart.Citations, c)
		}
		return nil
	}, `SELECT message_id, figure, `+citationColumns+` FROM figure_citations WHERE workspace_id = ? AND message_id IN (%s) ORDER BY message_id, figure, n`,
		[]any{ws}, drawn)
	if err != nil {
		return fmt.Errorf("read citations of charts: %w", err)
	}
	return nil
}
