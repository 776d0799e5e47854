package parse

import "slices"

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
