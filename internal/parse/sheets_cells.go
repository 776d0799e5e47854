package parse

import (
	"context"
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/parse/script"
)

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
				font, err := strconv.Atoi(attr(t, "fontId"))
				if err == nil && font >= 0 && font < len(l.fonts) && l.fonts[font] {
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
