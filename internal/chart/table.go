package chart

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose/dates"
	"github.com/clewhq/clew/internal/prose/numbers"
)

// A Table has rows of cells, each row with as many as its head.
type Table struct {
	Head []Cell // without numbers
	Rows []Row
}

// A Row is a row of a table below its head.
type Row struct {
	Cells []Cell
	Span  domain.Span // in the text
}

// A Cell is a field of a row.
type Cell struct {
	Text string
	Span domain.Span // in the text, empty if the cell is
}

// Tables returns the tables of a text: consecutive lines with the same number of cells, the first of which has neither
// numbers nor dates. A row right below may lack its last cells, which are then empty. A table in the first line of the
// text may continue one from above, whose head is given and may be empty.
func Tables(text string, above string) []Table {
	var out []Table
	var t Table
	end := func() {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
		t = Table{}
	}
	if t.Head = cellsOf(above, 0); len(t.Head) < 2 {
		t.Head = nil
	}
	at, apart := 0, false // apart: a line without words is above
	for line := range strings.Lines(text) {
		start := at
		at += domain.Runes(line)
		if strings.TrimSpace(line) == "" && t.Head != nil || isRule(line) {
			apart = !isRule(line)
			continue
		}
		cells := cellsOf(line, start)
		if len(cells) > 1 && !apart && len(cells) < len(t.Head) {
			cells = append(cells, make([]Cell, len(t.Head)-len(cells))...)
		}
		apart = false
		if len(cells) < 2 || t.Head != nil && len(cells) != len(t.Head) {
			end()
		}
		switch {
		case len(cells) < 2, t.Head == nil && slices.ContainsFunc(cells[1:], isMeasure):
		case t.Head == nil:
			t.Head = cells
		default:
			t.Rows = append(t.Rows, Row{Cells: cells, Span: trimmed(line).Shift(start)})
		}
	}
	end()
	return out
}

// trimmed returns the span of a line without the white space around it.
func trimmed(line string) domain.Span {
	begins := strings.TrimLeftFunc(line, unicode.IsSpace)
	start := domain.Runes(line) - domain.Runes(begins)
	return domain.Span{Start: start, End: start + domain.Runes(strings.TrimSpace(begins))}
}

// isRule reports whether a line is the one below the head of a table in Markdown.
func isRule(line string) bool {
	return strings.Trim(line, "|-: \t\r\n") == "" && strings.Contains(line, "-")
}

// Cells returns the fields of a row.
func Cells(row string) []Cell { return cellsOf(row, 0) }

// cellsOf returns the cells of a line that begins at a code point of its text: one if it is not a row.
func cellsOf(line string, at int) []Cell {
	begins := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(begins, "|") { // as in Markdown
		at += domain.Runes(line[:len(line)-len(begins)]) + 1
		line = strings.TrimSuffix(strings.TrimRight(begins[1:], " \t\r\n"), "|")
	}
	var out []Cell
	for part := range strings.SplitSeq(line, "|") {
		c := Cell{Text: strings.TrimSpace(part)}
		if c.Text != "" {
			c.Span = trimmed(part).Shift(at)
		}
		out = append(out, c)
		at += domain.Runes(part) + 1
	}
	return out
}

// Numbers returns the amount in each cell of a column, and whether it has one. Years are amounts here. A sign before
// three digits separates thousands where it does so in all cells that have it.
func (t Table) Numbers(column int) (values []float64, known []bool) {
	grouped := t.grouped(column)
	for _, row := range t.Rows {
		v, ok := 0.0, false
		if all := numbers.Read("x | "+row.Cells[column].Text, ""); len(all) == 1 && domain.Runes(row.Cells[column].Text) <= all[0].Span.Len()+mostUnit {
			v, ok = all[0].Value(), true
			if grouped && len(all[0].Values) > 1 {
				v = slices.MaxFunc(all[0].Values, func(a, b float64) int { return int(max(-1, min(1, abs(a)-abs(b)))) })
			}
		}
		values, known = append(values, v), append(known, ok)
	}
	return values, known
}

// mostUnit is the maximum number of code points of a cell besides its number.
const mostUnit = 8

func abs(v float64) float64 { return max(v, -v) }

// thousand matches a number of one sign before three digits.
var thousand = regexp.MustCompile(`^\D{0,4}[1-9]\d{0,2}[.,]\d{3}\D{0,8}$`)

// grouped reports whether the signs in the numbers of a column separate thousands.
func (t Table) grouped(column int) bool {
	n := 0
	for _, row := range t.Rows {
		text := row.Cells[column].Text
		switch signs := strings.Count(text, ".") + strings.Count(text, ","); {
		case signs == 1 && thousand.MatchString(text):
			n++
		case signs == 1:
			return false
		}
	}
	return n > 1
}

// Chart draws a column over the first one. The points cite the passage with the given number. If names in the first column repeat,
// each is followed by the cell of another column that makes them unique. Rows without a number and repeated categories are omitted.
func (t Table) Chart(column, passage int) Specification {
	s := Specification{Title: domain.Cut(plain(t.Head[column].Text), maxTitle), X: domain.Cut(plain(t.Head[0].Text), maxName), Y: domain.Cut(plain(t.Head[column].Text), maxName)}
	if s.Title == "" {
		return s
	}
	drawn := map[string]bool{}
	names := t.names(column)
	for i, row := range t.Rows {
		value, ok := numberIn(row.Cells[column].Text)
		name := domain.Cut(plain(names[i]), maxName)
		if !ok || name == "" || drawn[name] || len(s.Points) == MaxCategories {
			continue
		}
		drawn[name] = true
		s.Points = append(s.Points, Datum{Category: name, Value: value, Passage: passage})
	}
	return s
}

// names returns the category of each row when a column is drawn: its first cell, followed by that of the first other column that
// makes the categories unique, if they repeat.
func (t Table) names(column int) []string {
	named := func(beside int) (names []string, apart bool) {
		seen := map[string]bool{}
		apart = true
		for _, row := range t.Rows {
			name := row.Cells[0].Text
			if beside > 0 && row.Cells[beside].Text != "" {
				name += ", " + row.Cells[beside].Text
			}
			apart = apart && !seen[name]
			seen[name] = true
			names = append(names, name)
		}
		return names, apart
	}
	first, apart := named(0)
	for beside := 1; !apart && beside < len(t.Head); beside++ {
		if beside == column {
			continue
		}
		if names, apart := named(beside); apart {
			return names
		}
	}
	return first
}

// isMeasure reports whether a cell holds a number or a date, as no head does.
func isMeasure(c Cell) bool {
	_, isNumber := numberIn(c.Text)
	_, err := dates.Parse(c.Text)
	return isNumber || c.Text != "" && err == nil
}

// numberIn returns the amount that a cell holds, if it holds one and little else.
func numberIn(cell string) (string, bool) {
	all := numbers.Read("x | "+cell, "") // on its own it might be read as a year
	if len(all) != 1 || all[0].Dated() || domain.Runes(cell) > all[0].Span.Len()+mostUnit {
		return "", false
	}
	return cell, true
}
