package parse

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readSheets reads an Excel workbook: of each sheet the rows, which a blank row
// parts into tables, with values as they are shown. It leaves out hidden sheets.
func readSheets(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "workbook", maxExpanded)
	if err != nil {
		return err
	}
	if err := files.unpacks(); err != nil { // the library would find out too late
		return err
	}
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: maxExpanded, UnzipXMLSizeLimit: maxExpanded, // files beyond the limits would go to the disk
		MaxCalcIterations: 1,
	})
	if err != nil {
		return damagedPackage("workbook", err)
	}
	defer book.Close()
	if props, err := book.GetDocProps(); err == nil {
		w.name(props.Title)
		w.know(domain.Facts{Author: props.Creator, Published: props.Created, Language: props.Language})
	}
	if err := statesOffice(ctx, w, files); err != nil {
		return err
	}
	parts, err := sheetParts(ctx, files)
	if err != nil {
		return err
	}
	looks, err := readSheetLooks(ctx, files, path.Dir(files.mainPart("xl/workbook.xml"))+"/", w.keepStruck)
	if err != nil {
		return err
	}
	s := sheetReader{ctx: ctx, w: w, book: book, formulas: maxFormulas, looks: looks}
	hidden := 0
	for _, name := range book.GetSheetList() {
		if visible, err := book.GetSheetVisible(name); err == nil && !visible {
			hidden++
			continue
		}
		if err := s.read(name, files, parts[name]); err != nil {
			return err
		}
		if err := drawings(ctx, w, files, parts[name], book); err != nil {
			return err
		}
	}
	if hidden > 0 {
		w.warn(fmt.Sprintf("%s hidden and left out.", domain.Counted(hidden, "sheet is", "sheets are")))
	}
	if s.left > 0 {
		w.warn(fmt.Sprintf("%s without a value stored in the file could not be calculated and were left out.", domain.Counted(s.left, "formula", "formulas")))
	}
	return ctx.Err()
}

// unpacks reads all parts within the bounds of the package.
func (p *zipPackage) unpacks() error {
	left := p.left
	for name := range p.files {
		if _, err := p.read(name); err != nil {
			return err
		}
	}
	p.left = left
	return nil
}

// sheetParts returns the parts of the sheets by name.
func sheetParts(ctx context.Context, files *zipPackage) (map[string]string, error) {
	main := files.mainPart("xl/workbook.xml")
	related, err := files.related(ctx, main)
	if err != nil {
		return nil, err
	}
	parts := make(map[string]string)
	err = files.elements(ctx, main, func(e *element) {
		if e.name == "sheet" && len(parts) < maxSheets {
			parts[e.attr("name")] = related[e.relation()].part
		}
	})
	return parts, err
}

// The bounds of a workbook: its sheets, the formulas that are calculated, and
// the formulas of a sheet in all, which a formula may refer to.
const (
	maxSheets   = 1000
	maxFormulas = 1000
	maxReferred = 20_000
)

type sheetReader struct {
	ctx      context.Context
	w        *writer
	book     *excelize.File
	formulas int // formulas that may still be calculated
	left     int // formulas left out
	looks    *sheetLooks
}

// read adds a sheet.
func (s *sheetReader) read(name string, files *zipPackage, part string) error {
	var data []byte
	var err error
	if files.has(part) {
		if data, err = files.read(part); err != nil {
			return err
		}
	}
	values := s.calculated(name, data)
	looks, err := s.looks.cells(s.ctx, files, part, data)
	if err != nil {
		return err
	}
	rows, err := s.book.Rows(name)
	if err != nil {
		return nil // a sheet of a chart has no rows
	}
	defer rows.Close()
	title := shorten(tidyLine(name), 100)
	s.w.unit(domain.UnitRow, title, 0)
	s.w.heading(1, name)
	t := sheetTable{tableWriter: tableWriter{w: s.w, name: title}, merges: mergesOf(data)}
	for number := 1; rows.Next(); number++ {
		cells, err := rows.Columns()
		if err != nil {
			return damagedPackage("workbook", err)
		}
		for column, value := range values[number] {
			for len(cells) < column {
				cells = append(cells, "")
			}
			cells[column-1] = value
		}
		for column, look := range looks[number] {
			if column <= len(cells) {
				cells[column-1] = look.of(cells[column-1], s.w.keepStruck)
			}
		}
		t.add(number, cells)
		if number%1024 == 0 && (s.ctx.Err() != nil || t.over()) {
			break
		}
	}
	t.end()
	if err := rows.Error(); err != nil {
		return damagedPackage("workbook", err)
	}
	return s.ctx.Err()
}

// uncached finds formulas without a value beside them, as programs write them
// that don't calculate.
var uncached = regexp.MustCompile(`<c\s[^<>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^<>]*>\s*<f[^<>]*>[^<]*</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>`)

// calculated returns the values of formulas without a stored value, by row and column.
func (s *sheetReader) calculated(name string, data []byte) map[int]map[int]string {
	found := uncached.FindAllSubmatch(data, -1)
	if len(found) > 0 && bytes.Count(data, []byte("<f")) > maxReferred {
		s.left += len(found)
		return nil
	}
	values := make(map[int]map[int]string)
	for _, m := range found {
		cell := string(m[1])
		column, row, err := excelize.CellNameToCoordinates(cell)
		if err != nil || s.formulas == 0 || s.ctx.Err() != nil {
			s.left++
			continue
		}
		s.formulas--
		value, err := s.book.CalcCellValue(name, cell)
		if err != nil || strings.HasPrefix(value, "#") {
			s.left++
			continue
		}
		if values[row] == nil {
			values[row] = make(map[int]string)
		}
		if column <= maxCells {
			values[row][column] = value
		}
	}
	return values
}

// A merge is a range of cells that are shown as one.
type merge struct {
	top, bottom, left, right int
	text                     string // of its first cell, once read
}

// maxMerges bounds the merges of a sheet.
const maxMerges = 100_000

var mergedCells = regexp.MustCompile(`<(?:\w+:)?mergeCell\s[^<>]*?\bref="([A-Z]{1,3}[0-9]{1,7}):([A-Z]{1,3}[0-9]{1,7})"`)

// mergesOf returns the merges of a sheet in the order of their first rows.
func mergesOf(sheet []byte) []*merge {
	var merges []*merge
	for _, m := range mergedCells.FindAllSubmatch(sheet, maxMerges) {
		left, top, err := excelize.CellNameToCoordinates(string(m[1]))
		right, bottom, err2 := excelize.CellNameToCoordinates(string(m[2]))
		if err == nil && err2 == nil && left <= right && top <= bottom && left <= maxCells {
			merges = append(merges, &merge{top: top, bottom: bottom, left: left, right: min(right, maxCells)})
		}
	}
	slices.SortStableFunc(merges, func(a, b *merge) int { return a.top - b.top })
	return merges
}

// A sheetTable writes the rows of a sheet. Rows that name columns are one line.
type sheetTable struct {
	tableWriter
	merges  []*merge // that begin in later rows
	open    []*merge // that extend into the next row
	head    []gridRow
	first   int  // number of the head's first row
	last    int  // number of the previous row
	named   bool // a row with several cells was written
	repeats int  // bytes
}

// add adds a row.
func (t *sheetTable) add(number int, cells []string) {
	row := t.merged(number, cells[:min(len(cells), maxCells)])
	if len(row.cells) == 0 {
		return
	}
	if t.last > 0 && number > t.last+1 {
		t.end()
	}
	t.last = number
	switch n := len(t.head); {
	case n > 0 && n < maxHeadRows && parts(t.head[n-1], row):
		t.head = append(t.head, row)
		return
	case n > 0:
		t.putHead()
	}
	if !t.named && !row.single() && slices.ContainsFunc(row.cells, func(c gridCell) bool { return c.wide }) {
		t.head, t.first = []gridRow{row}, number
		return
	}
	t.named = t.named || !row.single()
	t.row(number, row.texts())
}

// putHead writes the rows that name columns.
func (t *sheetTable) putHead() {
	if len(t.head) > 0 {
		t.row(t.first, joined(t.head))
		t.head, t.named = nil, true
	}
}

// end ends a table.
func (t *sheetTable) end() {
	t.putHead()
	t.flush()
	t.last, t.named = 0, false
}

// merged returns row number with the text of each merged range repeated in all of its cells. A row without any text is
// returned empty.
func (t *sheetTable) merged(number int, cells []string) gridRow {
	if !slices.ContainsFunc(cells, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		return gridRow{}
	}
	for len(t.merges) > 0 && t.merges[0].top <= number {
		t.open = append(t.open, t.merges[0])
		t.merges = t.merges[1:]
	}
	t.open = slices.DeleteFunc(t.open, func(m *merge) bool { return m.bottom < number })
	row := gridRow{cells: make([]gridCell, len(cells))}
	for i, s := range cells {
		row.cells[i].text = tidyLine(s)
	}
	for _, m := range t.open {
		t.fill(&row, m, number)
	}
	return row
}

// fill puts the text of a merge into the cells of a row.
func (t *sheetTable) fill(row *gridRow, m *merge, number int) {
	for len(row.cells) < m.right && len(row.cells) < maxCells {
		row.cells = append(row.cells, gridCell{})
	}
	if number == m.top {
		m.text = row.cells[m.left-1].text
	}
	for at := m.left - 1; at < m.right; at++ {
		c := gridCell{text: m.text, wide: m.left < m.right, above: number > m.top}
		c.covered = c.above || at >= m.left
		if c.covered {
			if t.repeats += len(m.text); t.repeats > t.w.limits.MaxChars {
				c.text = ""
			}
		}
		row.cells[at] = c
	}
}

// texts returns the cells of a row. A cell that covers the whole row occurs once.
func (r gridRow) texts() []string {
	if r.single() {
		return []string{r.cells[0].text}
	}
	return lists.Map(r.cells, func(c gridCell) string { return c.text })
}

// sheetLooks are the texts of a workbook whose look means something: shared ones by
// their number, and the styles that strike out a cell.
type sheetLooks struct {
	keepStruck bool
	shared     map[int]string
	struck     map[int]bool
}

// readSheetLooks reads the parts that hold texts and styles.
func readSheetLooks(ctx context.Context, files *zipPackage, folder string, keepStruck bool) (*sheetLooks, error) {
	l := &sheetLooks{keepStruck: keepStruck, shared: map[int]string{}, struck: map[int]bool{}}
	n := 0
	err := files.eachWhole(ctx, folder+"sharedstrings.xml", []string{"si"}, func(e *element) {
		if text, looks := l.text(e); looks {
			l.shared[n] = text
		}
		n++
	})
	if err != nil {
		return nil, err
	}
	var fonts []bool // whether they strike text through
	return l, files.eachWhole(ctx, folder+"styles.xml", []string{"fonts", "cellXfs"}, func(e *element) {
		for i, kid := range e.elements() {
			font := kid.int("fontId", -1)
			switch {
			case e.name == "fonts":
				strike := kid.kid("strike")
				fonts = append(fonts, strike.name != "" && strike.on("val"))
			case font >= 0 && font < len(fonts) && fonts[font]:
				l.struck[i] = true
			}
		}
	})
}

// text returns a text of runs, and whether one of them has a look.
func (l *sheetLooks) text(e *element) (text string, looks bool) {
	line := script.Line{KeepStruck: l.keepStruck}
	for _, kid := range e.kids {
		look := script.Plain
		for _, property := range kid.kid("rPr").kids {
			if own, ok := docxLook(property); ok {
				look = firstLook(look, own)
			}
		}
		switch kid.name {
		case "t":
			line.Add(look, kid.words())
		case "r":
			line.Add(look, kid.kid("t").words())
		}
		looks = looks || look != script.Plain
	}
	return line.String(), looks
}

// A cellLook is the meaning of a cell's look.
type cellLook struct {
	text   string
	set    bool // the text replaces the value
	struck bool
}

// of returns the look of a value.
func (c cellLook) of(value string, keepStruck bool) string {
	if c.set {
		value = c.text
	}
	switch {
	case c.struck && (!keepStruck || strings.TrimSpace(value) == ""):
		return ""
	case c.struck:
		return "~~" + strings.TrimSpace(value) + "~~"
	}
	return value
}

// maxLooks bounds the cells of a sheet that have a look.
const maxLooks = 500_000

// cells returns the looks of the cells of a sheet, by row and column.
func (l *sheetLooks) cells(ctx context.Context, files *zipPackage, part string, data []byte) (map[int]map[int]cellLook, error) {
	if len(l.shared) == 0 && len(l.struck) == 0 && !bytes.Contains(data, []byte("inlineStr")) {
		return nil, nil
	}
	found, n := make(map[int]map[int]cellLook), 0
	err := files.eachWhole(ctx, part, []string{"c"}, func(e *element) {
		column, row, err := excelize.CellNameToCoordinates(e.attr("r"))
		cell := cellLook{struck: l.struck[e.int("s", 0)]}
		switch e.attr("t") {
		case "s":
			if index, err := strconv.Atoi(strings.TrimSpace(e.kid("v").words())); err == nil {
				cell.text, cell.set = l.shared[index]
			}
		case "inlineStr":
			cell.text, cell.set = l.text(e.kid("is"))
		}
		if err == nil && (cell.set || cell.struck) && n < maxLooks {
			n++
			if found[row] == nil {
				found[row] = make(map[int]cellLook)
			}
			found[row][column] = cell
		}
	})
	return found, err
}

// readTable reads CSV and TSV. Rows are numbered as in a spreadsheet.
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

// commaStated matches the line in which a table for Excel states the separator of its cells.
var commaStated = regexp.MustCompile(`^(?i:sep)=([,;|\t])\r?\n`)

func damagedTable(err error) error {
	where := ""
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		where, err = fmt.Sprintf(" in line %d", bad.Line), bad.Err
	}
	return domain.Because(domain.Invalid, err, "This table is damaged%s: %s.", where, plainCause(err))
}

// commaOf guesses the separator of a table: of the usual ones, the one that the first lines contain most evenly.
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

// A rowRun is the start of consecutive row numbers.
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
