package page

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// TablesProps is the data for the tables of a document.
type TablesProps struct {
	App layout.Props
	documents.Tables
}

// mostShownRows is how many rows of a table its page shows.
const mostShownRows = 100

// shownRows returns the first rows of a table.
func shownRows(t documents.Table) [][]documents.TableCell {
	return t.Rows[:min(len(t.Rows), mostShownRows)]
}

// titleOfTable names a table by its number and the heading above it.
func titleOfTable(ctx context.Context, t documents.Table) string {
	title := lang.F(ctx, "Table %d", t.Number)
	if t.Heading != "" {
		title += ": " + domain.Cut(t.Heading, 120)
	}
	return title
}

// tabled reports whether a document may have tables.
func (p DocumentProps) tabled() bool { return strings.Contains(p.Text.Content, " | ") }
