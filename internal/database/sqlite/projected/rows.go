package projected

import "strings"

// rowsAtOnce is the maximum number of rows of a statement, a power of two. Running a statement costs as much as writing
// several rows.
const rowsAtOnce = 32

// Rows gathers rows of one table, to write many of them with a statement.
type Rows struct {
	batch   *Batch
	insert  string // the statement before its VALUES
	columns int
	values  []any
}

// Rows returns a Rows that writes with insert, the statement before its VALUES.
func (b *Batch) Rows(insert string, columns int) *Rows {
	return &Rows{batch: b, insert: insert, columns: columns}
}

// Add adds a row. It may be written only by Flush.
func (r *Rows) Add(values ...any) {
	r.values = append(r.values, values...)
	if len(r.values) == rowsAtOnce*r.columns {
		r.write(rowsAtOnce)
	}
}

// Flush writes the rows that are not written yet. Their statements are of few
// lengths, so that the connection keeps them prepared.
func (r *Rows) Flush() {
	for n := rowsAtOnce; n > 0; n /= 2 {
		if len(r.values) >= n*r.columns {
			r.write(n)
		}
	}
}

// write writes the first n rows.
func (r *Rows) write(n int) {
	row := "(?" + strings.Repeat(", ?", r.columns-1) + ")"
	r.batch.Exec(r.insert+" VALUES "+row+strings.Repeat(", "+row, n-1), r.values[:n*r.columns]...)
	r.values = append(r.values[:0], r.values[n*r.columns:]...)
}
