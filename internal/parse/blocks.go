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
	rows  []string
	cells []*strings.Builder // of the open row
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
	b.tables = append(b.tables, &openTable{})
}

func (b *blocks) startCell() {
	if t := b.table(); t != nil && len(t.cells) < maxCells {
		t.cells = append(t.cells, &strings.Builder{})
	}
}

func (b *blocks) endRow() {
	t := b.table()
	if t == nil {
		return
	}
	cells := make([]string, len(t.cells))
	for i, c := range t.cells {
		cells[i] = c.String()
	}
	t.cells = nil
	if row := tableRow(cells); row != "" || len(t.rows) > 0 && t.rows[len(t.rows)-1] != "" {
		t.rows = append(t.rows, row)
	}
}

// endTable writes the innermost table, or adds it to the cell around it.
func (b *blocks) endTable() {
	t := b.table()
	if t == nil {
		return
	}
	b.tables = b.tables[:len(b.tables)-1]
	if outer := b.table(); outer == nil {
		b.w.lines(t.rows)
	} else {
		outer.add(strings.Join(t.rows, " "))
	}
}

// add adds text to the open cell.
func (t *openTable) add(s string) {
	if n := len(t.cells); n > 0 {
		t.cells[n-1].WriteString(" " + s)
	}
}
