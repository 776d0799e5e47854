package chart

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// fewestRows is how many numbers of a column make a chart.
const fewestRows = 2

// SpecifyTable draws the column of a table in the passages that a task names, over the
// first column. Of several it takes the one with most words of the task; it returns false
// if there is none with a word of it.
func SpecifyTable(task string, passages []domain.Passage) (Specification, bool) {
	terms := prose.Terms(task)
	var best Specification
	most := 0
	for i, p := range passages {
		about := prose.Terms(strings.Join(append([]string{p.Title}, p.Headings...), " "))
		for _, t := range tablesOf(p.Text) {
			for column := 1; column < len(t[0]); column++ {
				s := t.chart(column, i+1)
				head := shared(terms, prose.Terms(t[0][column]))
				worth := 4*head + 2*shared(terms, prose.Terms(t[0][0])) + shared(terms, about)
				if len(s.Points) >= fewestRows && worth > most && (head > 0 || worth > 1 || len(t[0]) == 2) {
					best, most = s, worth
				}
			}
		}
	}
	best.Type = string(countChartType(task))
	return best, most > 0
}

// table has the cells of rows, its head first.
type table [][]string

// tablesOf returns the tables of a text: lines with the same number of cells, one below
// the other, the first of which has no numbers.
func tablesOf(text string) []table {
	var out []table
	var t table
	end := func() {
		if len(t) > fewestRows {
			out = append(out, t)
		}
		t = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" && t != nil || strings.Trim(line, "|-: ") == "" && strings.Contains(line, "-") {
			continue
		}
		row := strings.Split(strings.Trim(line, "|"), "|")
		if len(row) < 2 {
			end()
			continue
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if t != nil && len(row) != len(t[0]) {
			end()
		}
		if t == nil && slices.ContainsFunc(row[1:], func(c string) bool { _, ok := numberIn(c); return ok }) {
			continue // no head
		}
		t = append(t, row)
	}
	end()
	return out
}

// chart draws a column over the first one. A row without a number is left out, and so
// are those of a category that was drawn.
func (t table) chart(column, passage int) Specification {
	s := Specification{Title: domain.Cut(plain(t[0][column]), maxTitle), X: domain.Cut(plain(t[0][0]), maxName), Y: domain.Cut(plain(t[0][column]), maxName)}
	if s.Title == "" {
		return s
	}
	drawn := map[string]bool{}
	for _, row := range t[1:] {
		value, ok := numberIn(row[column])
		name := domain.Cut(plain(row[0]), maxName)
		if !ok || name == "" || drawn[name] || len(s.Points) == MaxCategories {
			continue
		}
		drawn[name] = true
		s.Points = append(s.Points, Datum{Category: name, Value: value, Passage: passage})
	}
	return s
}

// numberIn returns the amount that a cell holds, if it holds one and little else.
func numberIn(cell string) (string, bool) {
	all := quantities("x | " + cell) // alone it might be read as a year
	if len(all) != 1 || all[0].date || domain.Runes(cell) > all[0].span.Len()+8 {
		return "", false
	}
	return cell, true
}

func shared(a, b []string) int {
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}
