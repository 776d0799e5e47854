package parse

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
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
		UnzipSizeLimit: maxExpanded, UnzipXMLSizeLimit: maxExpanded, // a file that it has no room for would go to the disk
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
	err = files.elements(ctx, main, func(e xml.StartElement) {
		if e.Name.Local == "sheet" && len(parts) < maxSheets {
			parts[attr(e, "name")] = related[relationID(e)].part
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
	formulas int // that may still be calculated
	left     int // formulas left out
	looks    *sheetLooks
}

// read adds a sheet.
func (s *sheetReader) read(name string, files *zipPackage, part string) error {
	data, err := partOf(files, part)
	if err != nil {
		return err
	}
	values := s.calculated(name, data)
	looks, err := s.looksOf(files, part, data)
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

// partOf returns the whole of a part, nil if there is none.
func partOf(files *zipPackage, part string) ([]byte, error) {
	if !files.has(part) {
		return nil, nil
	}
	return files.read(part)
}

// looksOf returns the looks of the cells of a sheet.
func (s *sheetReader) looksOf(files *zipPackage, part string, data []byte) (map[int]map[int]cellLook, error) {
	if s.looks.none() && !bytes.Contains(data, []byte("inlineStr")) {
		return nil, nil
	}
	return s.looks.cells(s.ctx, files, part)
}

// uncached finds formulas without a value beside them, as programs write them
// that don't calculate.
var uncached = regexp.MustCompile(`<c\s[^<>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^<>]*>\s*<f[^<>]*>[^<]*</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>`)

// calculated returns the values of formulas that have none in the file, by row
// and column.
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
	text                     string // of its first cell, once that was read
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
	merges  []*merge // that begin in rows to come
	open    []*merge // that reach into the next row
	head    []gridRow
	first   int  // number of the head's first row
	last    int  // of the row before
	named   bool // a row of several cells was written
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

// merged returns a row in which the text of a merge stands in each of its cells. A
// row that has no text itself is empty.
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

// texts returns the cells of a row. One that covers the row stands once.
func (r gridRow) texts() []string {
	if r.single() {
		return []string{r.cells[0].text}
	}
	texts := make([]string, len(r.cells))
	for i, c := range r.cells {
		texts[i] = c.text
	}
	return texts
}

// sheetLooks are the texts of a workbook whose look means something: shared ones by
// their number, and the styles that strike out a cell.
type sheetLooks struct {
	keepStruck bool
	shared     map[int]string
	struck     map[int]bool

	line  script.Line
	look  script.Look
	plain bool // no run of the text has a look
	text  bool
	n     int

	fonts   []bool // whether they strike out
	inFonts bool
	inCells bool
}

// readSheetLooks reads the parts that hold texts and styles.
func readSheetLooks(ctx context.Context, files *zipPackage, folder string, keepStruck bool) (*sheetLooks, error) {
	l := &sheetLooks{keepStruck: keepStruck, shared: map[int]string{}, struck: map[int]bool{}}
	l.begin()
	if err := files.each(ctx, folder+"sharedstrings.xml", l.sharedToken); err != nil {
		return nil, err
	}
	l.n = 0
	return l, files.each(ctx, folder+"styles.xml", l.styleToken)
}

// begin begins a text.
func (l *sheetLooks) begin() {
	l.line, l.look, l.plain = script.Line{KeepStruck: l.keepStruck}, script.Plain, true
}

// run handles a token of a text of runs.
func (l *sheetLooks) run(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "r":
			l.look = script.Plain
		case "t":
			l.text = true
		case "rPh": // how it is pronounced
			l.text = false
		default:
			if look, ok := docxLook(t); ok && look != script.Plain {
				l.look, l.plain = firstLook(l.look, look), false
			}
		}
	case xml.EndElement:
		l.text = l.text && t.Name.Local != "t"
	case xml.CharData:
		if l.text {
			l.line.Add(l.look, string(t))
		}
	}
}

func (l *sheetLooks) sharedToken(t xml.Token) error {
	l.run(t)
	if e, ok := t.(xml.EndElement); ok && e.Name.Local == "si" {
		if !l.plain {
			l.shared[l.n] = l.line.String()
		}
		l.n++
		l.begin()
	}
	return nil
}

func (l *sheetLooks) styleToken(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "fonts":
			l.inFonts = true
		case "font":
			if l.inFonts {
				l.fonts = append(l.fonts, false)
			}
		case "strike":
			if n := len(l.fonts); l.inFonts && n > 0 {
				l.fonts[n-1] = isOn(t)
			}
		case "cellXfs":
			l.inCells = true
		case "xf":
			if l.inCells {
				if font := intAttr(t, "fontId", -1); font >= 0 && font < len(l.fonts) && l.fonts[font] {
					l.struck[l.n] = true
				}
				l.n++
			}
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "fonts":
			l.inFonts = false
		case "cellXfs":
			l.inCells = false
		}
	}
	return nil
}

// A cellLook is what a cell says by its look.
type cellLook struct {
	text   string
	set    bool // the text takes the place of the value
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
func (l *sheetLooks) cells(ctx context.Context, files *zipPackage, part string) (map[int]map[int]cellLook, error) {
	r := cellReader{looks: l, found: make(map[int]map[int]cellLook)}
	err := files.each(ctx, part, r.token)
	return r.found, err
}

// A cellReader reads the looks of the cells of a sheet.
type cellReader struct {
	looks       *sheetLooks
	found       map[int]map[int]cellLook
	cell        cellLook
	row, column int
	kind        string // of the value
	value       strings.Builder
	inValue     bool
	n           int
}

func (r *cellReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "c":
			r.column, r.row, _ = excelize.CellNameToCoordinates(attr(t, "r"))
			style, _ := strconv.Atoi(attr(t, "s"))
			r.cell, r.kind = cellLook{struck: r.looks.struck[style]}, attr(t, "t")
			r.looks.begin()
		case "v":
			r.inValue = true
			r.value.Reset()
		}
	case xml.CharData:
		if r.inValue {
			r.value.Write(t)
		}
	case xml.EndElement:
		r.end(t.Name.Local)
	}
	if r.kind == "inlineStr" {
		r.looks.run(t)
	}
	return nil
}

func (r *cellReader) end(name string) {
	switch name {
	case "v":
		r.inValue = false
		if index, err := strconv.Atoi(strings.TrimSpace(r.value.String())); err == nil && r.kind == "s" {
			r.cell.text, r.cell.set = r.looks.sharedText(index)
		}
	case "is":
		r.cell.text, r.cell.set = r.looks.line.String(), !r.looks.plain
	case "c":
		if (r.cell.set || r.cell.struck) && r.row > 0 && r.n < maxLooks {
			r.n++
			if r.found[r.row] == nil {
				r.found[r.row] = make(map[int]cellLook)
			}
			r.found[r.row][r.column] = r.cell
		}
		r.kind = ""
	}
}

// sharedText returns a shared text that has a look. It is empty if it is struck out
// altogether.
func (l *sheetLooks) sharedText(index int) (string, bool) {
	s, ok := l.shared[index]
	return s, ok
}

// none reports whether no cell can have a look, but for texts within cells.
func (l *sheetLooks) none() bool { return len(l.shared) == 0 && len(l.struck) == 0 }
