package parse

import "strings"

// The limits of tables: how many are nested, and the cells of a row, after which text goes into the
// last one. Word's own tables have at most 63 columns.
const (
	maxTables = 16
	maxCells  = 1000
)

// blocks writes the lists and tables of a text document, whose elements begin and end one by one.
type blocks struct {
	w      *writer
	list   []string     // lines of the list being read
	tables []*openTable // tables being read, the outermost first
}

// An openTable is a table whose end is not read yet.
type openTable struct {
	grid  *grid
	cell  openCell
	inRow bool
	gone  bool // the row is deleted
}

// An openCell is a cell whose end is not read yet.
type openCell struct {
	open          bool
	text          strings.Builder
	columns, rows int  // that it covers
	continued     bool // the cell above covers its place
}

func (b *blocks) flushList() {
	b.w.lines(b.list)
	b.list = nil
}

// table returns the innermost open table, or nil.
func (b *blocks) table() *openTable {
	if len(b.tables) == 0 {
		return nil
	}
	return b.tables[len(b.tables)-1]
}

// startTable opens a table, which ends a list.
func (b *blocks) startTable() {
	b.flushList()
	b.tables = append(b.tables, &openTable{grid: newGrid(b.w.limits.MaxChars)})
}

// startRow begins a row of the innermost table.
func (b *blocks) startRow() {
	if t := b.table(); t != nil {
		t.endRow()
		t.grid.row(false)
		t.inRow = true
	}
}

// headRow notes that the open row names columns.
func (b *blocks) headRow() {
	if t := b.table(); t != nil && t.inRow {
		t.grid.rows[len(t.grid.rows)-1].head = true
	}
}

// dropRow notes that the open row is deleted.
func (b *blocks) dropRow() {
	if t := b.table(); t != nil && t.inRow {
		t.gone = true
	}
}

// startCell begins a cell of so many columns and rows.
func (b *blocks) startCell(columns, rows int) {
	t := b.table()
	if t == nil {
		return
	}
	if !t.inRow {
		b.startRow()
	}
	t.endCell()
	t.cell.open, t.cell.columns, t.cell.rows = true, columns, rows
}

// cell returns the open cell of the innermost table, or nil.
func (b *blocks) cell() *openCell {
	if t := b.table(); t != nil && t.cell.open {
		return &t.cell
	}
	return nil
}

func (b *blocks) endCell() {
	if t := b.table(); t != nil {
		t.endCell()
	}
}

func (b *blocks) endRow() {
	if t := b.table(); t != nil {
		t.endRow()
	}
}

func (t *openTable) endCell() {
	c := &t.cell
	if !c.open {
		return
	}
	if c.continued {
		t.grid.continued(c.columns)
	} else {
		t.grid.cell(c.text.String(), c.columns, c.rows)
	}
	t.cell = openCell{}
}

func (t *openTable) endRow() {
	t.endCell()
	if t.gone {
		t.grid.drop()
	}
	t.inRow, t.gone = false, false
}

// endTable writes the innermost table, or adds it to the cell around it.
func (b *blocks) endTable() {
	t := b.table()
	if t == nil {
		return
	}
	t.endRow()
	b.tables = b.tables[:len(b.tables)-1]
	lines := t.grid.lines()
	if outer := b.table(); outer == nil {
		b.w.lines(lines)
	} else {
		outer.add(inCell(lines))
	}
}

// inCell returns the rows of a table that stands in a cell of another one. What parts their
// cells is not what parts those of the outer table, so that its columns stay where they are.
func inCell(lines []string) string {
	rows := make([]string, len(lines))
	for i, line := range lines {
		rows[i] = strings.ReplaceAll(strings.Trim(line, "| "), " | ", ", ")
	}
	return strings.Join(rows, "; ")
}

// add adds text to the open cell.
func (t *openTable) add(s string) {
	if t.cell.open {
		t.cell.text.WriteString(" " + s)
	}
}
