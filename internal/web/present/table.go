package present

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

const (
	beside     = 1  // rows shown above and below the one that was found
	maxColumns = 4  // of a table that is shown
	maxCell    = 80 // code points
	barrier    = " | "
)

// line is a line of a table, with the spans of its cells.
type line []domain.Span

// tableAround returns the row of a table in which a span lies, with its neighbours and the head, and marks the cells that
// hold the marks. It returns nil if the span lies in no table.
func tableAround(p domain.Passage, span domain.Span, marks []domain.Span) *partial.TableProps {
	own := span.Shift(-p.Span.Start)
	lines, at := tableLines(p.Text, own)
	if at < 0 || len(lines[at]) < 2 {
		return nil
	}
	on := make([]bool, len(lines[at]))
	for i, c := range lines[at] {
		on[i] = slices.ContainsFunc(marks, func(m domain.Span) bool { return m.Shift(-p.Span.Start).Overlaps(c) })
	}
	if cells := overlapping(lines[at], own); len(marks) == 0 && len(cells) == 1 {
		on[cells[0]] = true
	}
	texts := func(l line) (out []string) {
		for _, c := range l {
			out = append(out, strings.TrimSpace(c.Slice(p.Text)))
		}
		return out
	}
	var head []string
	first := 0
	if above := headAbove(p); above != nil && len(above) == len(lines[at]) {
		head = above
	} else if at > 0 && len(lines[0]) == len(lines[at]) {
		head, first = texts(lines[0]), 1
	}
	columns := chosen(on)
	t := &partial.TableProps{}
	if head != nil {
		t.Head = cellsOf(head, columns, on)
	}
	for i := max(first, at-beside); i <= min(len(lines)-1, at+beside); i++ {
		if len(lines[i]) == len(lines[at]) {
			t.Rows = append(t.Rows, partial.RowProps{On: i == at, Cells: cellsOf(texts(lines[i]), columns, slices.Repeat([]bool{i == at}, len(on)), on)})
		}
	}
	return t
}

// cellsOf returns the chosen cells of a row. A cell is marked if all of the lists say so.
func cellsOf(texts []string, columns []int, marked ...[]bool) []partial.CellProps {
	var cells []partial.CellProps
	for _, c := range columns {
		cells = append(cells, partial.CellProps{Text: domain.Cut(texts[c], maxCell), On: !slices.ContainsFunc(marked, func(m []bool) bool { return !m[c] })})
	}
	return cells
}

// chosen returns the columns to show: the first, those that are marked, and the nearest to them.
func chosen(on []bool) []int {
	columns := make([]int, len(on))
	for i := range columns {
		columns[i] = i
	}
	mark := max(0, slices.Index(on, true))
	rank := func(c int) int {
		switch {
		case c == 0:
			return -2
		case on[c]:
			return -1
		}
		return max(c-mark, mark-c)
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	columns = columns[:min(len(columns), maxColumns)]
	slices.Sort(columns)
	return columns
}

// overlapping returns the cells of a row that share a character with a span.
func overlapping(l line, s domain.Span) (cells []int) {
	for i, c := range l {
		if c.Overlaps(s) {
			cells = append(cells, i)
		}
	}
	return cells
}

// headAbove returns the head of a table that began before a passage, nil if there is none.
func headAbove(p domain.Passage) []string {
	if n := len(p.Headings); n > 0 && strings.Contains(p.Headings[n-1], barrier) {
		return strings.Split(p.Headings[n-1], barrier)
	}
	return nil
}

// tableLines returns the lines of the paragraph that a span lies in, cut into cells, and which of them holds the start of
// the span, -1 if none does.
func tableLines(text string, own domain.Span) (lines []line, at int) {
	at = -1
	start := 0 // of the line, in code points
	for raw := range strings.SplitSeq(text, "\n") {
		end := start + domain.Runes(raw)
		switch {
		case strings.TrimSpace(raw) == "":
			if at >= 0 {
				return lines, at
			}
			lines = nil
		default:
			if start <= own.Start && own.Start <= end {
				at = len(lines)
			}
			lines = append(lines, cellSpans(raw, start))
		}
		start = end + 1
	}
	return lines, at
}

// cellSpans returns the spans of the cells of a line that begins at start.
func cellSpans(raw string, start int) (l line) {
	for cell := range strings.SplitSeq(raw, barrier) {
		n := domain.Runes(cell)
		l = append(l, domain.Span{Start: start, End: start + n})
		start += n + domain.Runes(barrier)
	}
	return l
}
