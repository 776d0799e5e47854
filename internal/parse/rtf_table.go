package parse

import (
	"slices"

	"github.com/clewhq/clew/internal/parse/script"
)

// An rtfRow is a row of a table. RTF says where its cells end, not how many
// columns they cover.
type rtfRow struct {
	texts []string
	cells []rtfCell
	head  bool
}

// An rtfCell is what the definition of a row says about a cell.
type rtfCell struct {
	edge        int  // its right one, in twentieths of a point
	left, above bool // the cell to its left, or above, covers its place
}

// sameEdge is how far edges of a column may be apart.
const sameEdge = 20

// rtfLines returns the rows of a table as lines.
func rtfLines(rows []rtfRow, limit int) []string {
	var edges []int
	for _, r := range rows {
		for _, c := range r.cells {
			edges = append(edges, c.edge)
		}
	}
	slices.Sort(edges)
	var columns []int // their right edges
	for _, e := range edges {
		if n := len(columns); n == 0 || e-columns[n-1] > sameEdge {
			columns = append(columns, e)
		}
	}
	g := newGrid(limit)
	for _, r := range rows {
		g.row(r.head)
		r.put(g, columns)
	}
	return g.lines()
}

// put adds the cells of a row to a grid.
func (r rtfRow) put(g *grid, columns []int) {
	at := 0
	for i := 0; i < len(r.texts); i++ {
		span := 0
		c := rtfCell{edge: -1 << 31}
		if i < len(r.cells) {
			c = r.cells[i]
		}
		text := r.texts[i]
		for i+1 < len(r.cells) && i+1 < len(r.texts) && r.cells[i+1].left {
			i++
			c.edge = r.cells[i].edge
		}
		for ; at < len(columns) && columns[at] <= c.edge+sameEdge; at++ {
			span++
		}
		if c.above {
			g.continued(span)
		} else {
			g.cell(text, span, 1)
		}
	}
}

// An rtfNested is a table within a cell. It is a part of the cell's text, whatever its depth.
type rtfNested struct {
	before string   // the text of the cell that stands before it
	cells  []string // of the row that is read
	rows   []string
}

// begin notes the text of the cell before the table, whose paragraphs lie deeper.
func (t *rtfNested) begin(r *rtfReader, depth int) {
	if depth > 1 && !r.state.out && t.before == "" && len(t.cells) == 0 && len(t.rows) == 0 {
		t.before = r.text.String()
		r.text.Reset()
	}
}

// cell ends a cell of the table.
func (t *rtfNested) cell(r *rtfReader) {
	if r.state.out || len(t.cells) == maxCells {
		return
	}
	t.cells = append(t.cells, tidyLine(r.text.String()))
	r.text.Reset()
}

// row ends a row of the table.
func (t *rtfNested) row() {
	if len(t.cells) > 0 {
		t.rows = append(t.rows, tableRow(t.cells))
	}
	t.cells = nil
}

// end adds the table to the text of the cell around it.
func (t *rtfNested) end(r *rtfReader) {
	t.row()
	if len(t.rows) == 0 && t.before == "" {
		return
	}
	after := r.text.String()
	r.text.Reset()
	r.text.Add(script.Plain, t.before+" "+inCell(t.rows)+" "+after)
	*t = rtfNested{}
}
