package parse

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readTable reads CSV and TSV, whose rows have the numbers that a spreadsheet
// gives them.
func readTable(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	comma, first := commaOf(s), 1
	if m := commaStated.FindStringSubmatch(s); m != nil {
		comma, first, s = rune(m[1][0]), 2, s[len(m[0]):]
	}
	read := csv.NewReader(strings.NewReader(s))
	read.Comma, read.LazyQuotes, read.FieldsPerRecord, read.ReuseRecord = comma, true, -1, true
	t := tableWriter{w: w}
	for next, row := 1, first; ; row++ {
		cells, err := read.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return damagedTable(err)
		}
		line, _ := read.FieldPos(0)
		row += line - next // blank lines are rows
		next = line + 1
		for _, cell := range cells {
			next += strings.Count(cell, "\n")
		}
		if t.row(row, cells); row%1024 == 0 && (ctx.Err() != nil || t.over()) {
			break
		}
	}
	t.flush()
	return ctx.Err()
}

// commaStated finds the line by which a table for Excel states what parts its cells.
var commaStated = regexp.MustCompile(`^(?i:sep)=([,;|\t])\r?\n`)

func damagedTable(err error) error {
	where := ""
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		where, err = fmt.Sprintf(" in line %d", bad.Line), bad.Err
	}
	return domain.Because(domain.Invalid, err, "This table is damaged%s: %s.", where, plainCause(err))
}

// commaOf returns what parts the cells of a table: of the usual characters the
// one that the first lines have most evenly.
func commaOf(s string) rune {
	best, most := ',', 0
	for _, r := range []rune{',', ';', '\t', '|'} {
		least, n := 0, 0
		for line := range strings.SplitSeq(s[:min(len(s), 8<<10)], "\n") {
			if strings.TrimSpace(line) == "" {
				continue
			}
			count := strings.Count(line, string(r))
			if n++; n == 1 || count < least {
				least = count
			}
			if n == 5 {
				break
			}
		}
		if least > most {
			best, most = r, least
		}
	}
	if first, _, _ := strings.Cut(s, "\n"); most == 0 && strings.Count(first, ";") > strings.Count(first, ",") {
		return ';'
	}
	return best
}

// A tableWriter writes rows that have numbers.
type tableWriter struct {
	w     *writer
	name  string // of the sheet
	lines []string
	runs  []rowRun
	size  int // code points of the lines
	next  int // the number after the last row
}

// A rowRun is where the numbers of rows go on from another one.
type rowRun struct{ line, number int }

// row adds a row. One without text is left out.
func (t *tableWriter) row(number int, cells []string) {
	line := tableRow(cells[:min(len(cells), maxCells)])
	if line == "" {
		return
	}
	if number != t.next || len(t.lines) == 0 {
		t.runs = append(t.runs, rowRun{len(t.lines), number})
	}
	t.next = number + 1
	t.lines = append(t.lines, line)
	t.size += utf8.RuneCountInString(line) + 1
}

// over reports whether the rows are more than a text may hold.
func (t *tableWriter) over() bool {
	return t.w.runes+t.size > t.w.limits.MaxChars || len(t.runs) > MaxUnits
}

// flush ends the table.
func (t *tableWriter) flush() {
	parts, numbers := make([]string, len(t.runs)), make([]int, len(t.runs))
	for i, run := range t.runs {
		end := len(t.lines)
		if i+1 < len(t.runs) {
			end = t.runs[i+1].line
		}
		parts[i], numbers[i] = strings.Join(t.lines[run.line:end], "\n"), run.number
	}
	t.w.together(domain.UnitRow, t.name, "\n", parts, numbers)
	t.lines, t.runs, t.size = nil, nil, 0
}
