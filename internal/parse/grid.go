package parse

import (
	"slices"
	"strings"
	"unicode"
)

// A grid makes rows of cells that may cover several columns and rows: the text of
// a cell stands in each place that it covers.
type grid struct {
	limit   int // bytes that covered places may repeat, in all
	covered int // places so far
	rows    []gridRow
	below   []covering // by column: cells that reach into the next rows
	repeats int
}

// A gridRow is a row with its cells in their columns.
type gridRow struct {
	cells []gridCell
	head  bool // it names columns
}

type gridCell struct {
	text    string
	covered bool // by a cell to its left or above
	wide    bool // it is, or is covered by, a cell of several columns
	above   bool // it is covered by a cell above
}

type covering struct {
	cell gridCell
	rows int
}

// maxCovered bounds the places of a table that a cell beside or above covers.
// After that each cell covers its own place.
const maxCovered = 1_000_000

// endless is the number of rows of a cell that reaches to the end of its group.
const endless = 1 << 30

// newGrid returns an empty grid. The bytes that it repeats are bounded.
func newGrid(limit int) *grid { return &grid{limit: limit} }

// group begins a group of rows, into which no cell above reaches.
func (g *grid) group() { g.below = nil }

// row begins a row.
func (g *grid) row(head bool) {
	g.rows = append(g.rows, gridRow{head: head})
	g.reach()
}

// reach puts the cells above into the next places that they cover.
func (g *grid) reach() {
	if g.covered > maxCovered {
		g.below = nil
	}
	row := &g.rows[len(g.rows)-1]
	for at := len(row.cells); at < len(g.below) && g.below[at].rows > 0; at = len(row.cells) {
		g.below[at].rows--
		cell := g.below[at].cell
		cell.covered, cell.above = true, true
		g.put(cell)
	}
}

// put adds a cell, without its text if too much was repeated.
func (g *grid) put(c gridCell) {
	if c.covered {
		g.covered++
		if g.repeats += len(c.text); g.repeats > g.limit {
			c.text = ""
		}
	}
	row := &g.rows[len(g.rows)-1]
	row.cells = append(row.cells, c)
}

// cell adds a cell of so many columns and rows to the row, after those that reach
// into it.
func (g *grid) cell(text string, columns, rows int) {
	if len(g.rows) == 0 {
		g.row(false)
	}
	g.reach()
	row := &g.rows[len(g.rows)-1]
	if g.covered > maxCovered {
		columns, rows = 1, 1
	}
	columns = min(max(columns, 1), maxCells-len(row.cells))
	for i := range columns {
		c := gridCell{text: tidyLine(text), covered: i > 0, wide: columns > 1}
		at := len(row.cells)
		g.put(c)
		if at < len(g.below) && g.below[at].rows > 0 {
			g.below[at].rows-- // a cell above reaches here too
		}
		if rows > 1 {
			for len(g.below) <= at {
				g.below = append(g.below, covering{})
			}
			g.below[at] = covering{c, rows - 1}
		}
	}
	g.reach()
}

// continued adds a place that a cell of the row above covers, as formats say it
// that mark each place.
func (g *grid) continued(columns int) {
	n := len(g.rows)
	if g.covered > maxCovered {
		columns = 1
	}
	for range max(columns, 1) {
		at := len(g.rows[n-1].cells)
		if at >= maxCells {
			return
		}
		cell := gridCell{}
		if n > 1 && at < len(g.rows[n-2].cells) {
			cell = g.rows[n-2].cells[at]
		}
		cell.covered, cell.above = true, true
		g.put(cell)
	}
}

// drop removes the last row.
func (g *grid) drop() { g.rows = g.rows[:len(g.rows)-1] }

// lines returns the rows as lines. Rows that name columns are one, with the names
// of a column joined. A row of a single cell is written once, however wide it is.
func (g *grid) lines() []string {
	head := g.headRows()
	var lines []string
	for i := 0; i < len(g.rows); i++ {
		if i < head && !g.rows[i].single() {
			end := i + 1
			for end < head && !g.rows[end].single() {
				end++
			}
			lines = append(lines, tableRow(joined(g.rows[i:end])))
			i = end - 1
			continue
		}
		lines = append(lines, g.rows[i].line())
	}
	return lines
}

// line returns the row as a line.
func (r gridRow) line() string {
	if r.single() {
		return tableRow([]string{r.cells[0].text})
	}
	cells := make([]string, len(r.cells))
	for i, c := range r.cells {
		cells[i] = c.text
	}
	return tableRow(cells)
}

// single reports whether one cell covers the row.
func (r gridRow) single() bool {
	if len(r.cells) == 0 || r.cells[0].above {
		return false
	}
	return !slices.ContainsFunc(r.cells[1:], func(c gridCell) bool { return !c.covered || c.above })
}

// joined returns the names of the columns that several rows give.
func joined(rows []gridRow) []string {
	var names []string
	for i, r := range rows {
		for column, c := range r.cells {
			if column == len(names) {
				names = append(names, "")
			}
			if c.text == "" || i > 0 && c.above && column < len(rows[i-1].cells) && rows[i-1].cells[column].text == c.text {
				continue
			}
			names[column] = strings.TrimSpace(names[column] + " " + c.text)
		}
	}
	return names
}

// maxHeadRows bounds the rows that name columns.
const maxHeadRows = 6

// headRows returns how many rows name the columns: those that the file says, or
// else the first one with those below it that part its wide cells.
func (g *grid) headRows() int {
	n := 0
	for n < len(g.rows) && g.rows[n].head {
		n++
	}
	if n > 0 {
		return min(n, maxHeadRows)
	}
	for n < len(g.rows) && g.rows[n].single() {
		n++
	}
	for start := n; n+1 < len(g.rows) && n-start < maxHeadRows && parts(g.rows[n], g.rows[n+1]); n++ {
	}
	return min(n+1, len(g.rows))
}

// parts reports whether a row names the parts of the wide cells above: it does not
// begin with the name of a row, and holds figures only where all else is blank.
func parts(upper, lower gridRow) bool {
	wide, named, figures := false, false, 0
	beside := false // there is text beside them
	for i, c := range lower.cells {
		if i >= len(upper.cells) || !upper.cells[i].wide {
			switch {
			case c.text == "" || c.above:
				named = true
			case i == 0:
				return false // the name of a row
			default:
				beside = true
			}
			continue
		}
		wide = true
		if c.text == "" || c.above {
			return false
		}
		if strings.ContainsAny(c.text, "0123456789") && !strings.ContainsFunc(c.text, unicode.IsLetter) {
			figures++
		}
	}
	return wide && (figures == 0 || named && !beside)
}
