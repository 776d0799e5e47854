package table

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
)

// CSV returns a chart as comma-separated values (RFC 4180): its table, with
// each value's source in the next column.
func CSV(ctx context.Context, c domain.Chart) ([]byte, error) {
	ctx = lang.With(ctx, lang.Languages()[0]) // programs read it
	t := Of(ctx, c)
	head := []string{t.Columns[0]}
	for i, name := range t.Columns[1:] {
		head = append(head, withUnit(name, c, i))
		if sourced(c, i) {
			head = append(head, lang.F(ctx, "%s, source", name))
		}
	}
	var records [][]string
	for _, row := range t.Rows {
		record := []string{row.Head}
		for i, cell := range row.Cells {
			record = append(record, value(cell))
			if sourced(c, i) {
				record = append(record, Source(ctx, c, cell))
			}
		}
		records = append(records, record)
	}
	return format.Sheet(head, records)
}

// sourced reports whether the values of a column have sources: in a scatter
// chart, the X has the source of its Y.
func sourced(c domain.Chart, column int) bool { return c.Type != domain.ChartScatter || column > 0 }

// withUnit adds the unit of the values to the name of their column.
func withUnit(name string, c domain.Chart, column int) string {
	if c.Unit == "" || !sourced(c, column) {
		return name
	}
	return name + " (" + c.Unit + ")"
}

func value(c Cell) string {
	if c.Point == nil {
		return ""
	}
	return Plain(c.Value)
}

// Source describes where a value comes from.
func Source(ctx context.Context, c domain.Chart, cell Cell) string {
	p := cell.Point
	switch {
	case p == nil:
		return ""
	case p.Count != nil:
		return lang.F(ctx, "counted in the graph: %s of %s", p.Count.Of, p.Count.Key)
	}
	for _, citation := range c.Citations {
		if citation.N != p.Citation {
			continue
		}
		switch {
		case citation.Text == "":
			return lang.T(ctx, "source deleted")
		case citation.Place != "":
			return citation.Where()
		case citation.Page > 0:
			return lang.F(ctx, "%s, page %d", citation.Document, citation.Page)
		}
		return citation.Document
	}
	return ""
}
