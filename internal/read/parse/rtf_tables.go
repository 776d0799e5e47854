package parse

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// An rtfRow is a row of a table. RTF says where its cells end, not how many
// columns they cover.
type rtfRow struct {
	texts []string
	cells []rtfCell
	head  bool
}

// An rtfCell is the definition of a cell in a row.
type rtfCell struct {
	edge        int  // its right one, in twentieths of a point
	left, above bool // the cell to its left, or above, covers its place
}

// sameEdge is the maximum distance of edges that belong to the same column.
const sameEdge = 20

// rtfLines returns the rows of a table as lines.
func rtfLines(rows []rtfRow, limit int) []string {
	var edges []int
	for _, r := range rows {
		for _, c := range r.cells {
			edges = append(edges, c.edge)
		}
	}
	slices.Sort(edges)
	var columns []int // their right edges
	for _, e := range edges {
		if n := len(columns); n == 0 || e-columns[n-1] > sameEdge {
			columns = append(columns, e)
		}
	}
	g := newGrid(limit)
	for _, r := range rows {
		g.row(r.head)
		r.put(g, columns)
	}
	return g.lines()
}

// put adds the cells of a row to a grid.
func (r rtfRow) put(g *grid, columns []int) {
	at := 0
	for i := 0; i < len(r.texts); i++ {
		span := 0
		c := rtfCell{edge: -1 << 31}
		if i < len(r.cells) {
			c = r.cells[i]
		}
		text := r.texts[i]
		for i+1 < len(r.cells) && i+1 < len(r.texts) && r.cells[i+1].left {
			i++
			c.edge = r.cells[i].edge
		}
		for ; at < len(columns) && columns[at] <= c.edge+sameEdge; at++ {
			span++
		}
		if c.above {
			g.continued(span)
		} else {
			g.cell(text, span, 1)
		}
	}
}

// An rtfNested is a table within a cell. It is part of the cell's text, at any depth.
type rtfNested struct {
	before string   // the text of the preceding cell
	cells  []string // of the current row
	rows   []string
}

// begin records the text of the cell before the table, whose paragraphs lie deeper.
func (t *rtfNested) begin(r *rtfReader, depth int) {
	if depth > 1 && !r.state.out && t.before == "" && len(t.cells) == 0 && len(t.rows) == 0 {
		t.before = r.text.String()
		r.text.Reset()
	}
}

// cell ends a cell of the table.
func (t *rtfNested) cell(r *rtfReader) {
	if r.state.out || len(t.cells) == maxCells {
		return
	}
	t.cells = append(t.cells, tidyLine(r.text.String()))
	r.text.Reset()
}

// row ends a row of the table.
func (t *rtfNested) row() {
	if len(t.cells) > 0 {
		t.rows = append(t.rows, tableRow(t.cells))
	}
	t.cells = nil
}

// end adds the table to the text of the cell around it.
func (t *rtfNested) end(r *rtfReader) {
	t.row()
	if len(t.rows) == 0 && t.before == "" {
		return
	}
	after := r.text.String()
	r.text.Reset()
	r.text.Add(script.Plain, t.before+" "+inCell(t.rows)+" "+after)
	*t = rtfNested{}
}

// rtfLists are the lists of a file. They number the paragraphs whose numbers are not
// written out.
type rtfLists struct {
	numbers *docxNumbers
	list    *docxList // being read
	level   int
	said    strings.Builder // the text of the level
	num     *docxNum        // being read
	written bool            // the paragraph's number is written out
}

// rtfNumberings are the kinds of numbers, as RTF calls them.
var rtfNumberings = map[int]script.Numbering{
	0: script.Decimal, 1: script.UpperRoman, 2: script.LowerRoman, 3: script.UpperLetter, 4: script.LowerLetter, 22: script.Padded, 23: script.Bullet, 255: script.Unnumbered,
}

// word obeys a control word of the tables of lists.
func (l *rtfLists) word(s *rtfState, word string, n int) {
	switch word {
	case "list":
		l.list, l.level = &docxList{}, -1
	case "listlevel":
		if l.level++; l.list != nil && l.level < docxLevels {
			l.list.levels[l.level].start = 1
		}
	case "levelnfc", "levelnfcn":
		l.change(func(of *docxLevel) { of.format = rtfNumberings[n] })
	case "levelstartat":
		l.change(func(of *docxLevel) { of.start = n })
	case "leveltext":
		s.levelText = l.list != nil
		l.said.Reset()
	case "levelnumbers":
		s.levelText = false
		text := l.levelText()
		l.change(func(of *docxLevel) { of.text = text })
	case "listid":
		if l.list != nil && len(l.numbers.lists) < maxLists {
			l.numbers.lists[strconv.Itoa(n)] = l.list
		}
		if l.num != nil {
			l.num.list = strconv.Itoa(n)
		}
		l.list = nil
	case "ls":
		s.list = n
		l.override(n)
	case "ilvl":
		s.depth = n
	case "listtext", "pntext":
		l.written = true
	case "listoverride":
		l.num = &docxNum{}
	}
}

// override ends the entry of the list with a number.
func (l *rtfLists) override(n int) {
	if l.num != nil && len(l.numbers.nums) < maxLists {
		l.numbers.nums[strconv.Itoa(n)] = l.num
	}
	l.num = nil
}

func (l *rtfLists) change(f func(*docxLevel)) {
	if l.list != nil && l.level >= 0 && l.level < docxLevels {
		f(&l.list.levels[l.level])
	}
}

func (l *rtfLists) text(s string) {
	if l.said.Len() < maxLevelText {
		l.said.WriteString(s)
	}
}

// levelText returns the text of a level with its numbers as %1 and so on. In the file its
// first character is its length, and characters below 9 stand for numbers.
func (l *rtfLists) levelText() string {
	said := []rune(l.said.String())
	if len(said) == 0 {
		return ""
	}
	var b strings.Builder
	for _, r := range said[1:min(len(said), 1+int(said[0]))] {
		if r < docxLevels {
			b.WriteString("%" + strconv.Itoa(int(r)+1))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mark counts a paragraph of a list and returns its number, or "" if that is written out or the paragraph is in no list.
func (l *rtfLists) mark(s rtfState, text string) string {
	written := l.written
	l.written = false
	if s.list <= 0 || l.numbers.nums[strconv.Itoa(s.list)] == nil || strings.TrimSpace(text) == "" {
		return ""
	}
	mark := l.numbers.next(strconv.Itoa(s.list), min(max(s.depth, 0), docxLevels-1), nil)
	if written {
		return ""
	}
	return mark
}

// rtfFonts holds the encodings of a file's fonts, whose table comes first.
type rtfFonts struct {
	page    *Encoding // of text whose font has none
	pages   map[int]*Encoding
	font    int // whose entry is being read
	inTable bool
	chosen  bool // a person chose the page, so fonts are ignored
}

// maxFonts bounds the fonts of a file.
const maxFonts = 10_000

// choose takes the page that a person chose, or the one that the bytes of a file suggest that
// states none for its text or its fonts.
func (f *rtfFonts) choose(w *writer, data []byte) {
	if f.page, f.chosen = w.encoding, w.encoding != nil; f.chosen {
		return
	}
	f.page = encodingOf("windows-1252")
	for _, m := range rtfPages.FindAllSubmatch(data, maxFonts) {
		n, err := strconv.Atoi(string(m[2]))
		if err == nil && (string(m[1]) == "fcharset" && fontPages[n] > 0 || string(m[1]) != "fcharset" && n != 1252 && pageOf(n) != nil) {
			return
		}
	}
	if e := rtfPage(data); e != nil {
		f.page, f.chosen = e, true
		w.warn(fmt.Sprintf("This file does not say which code page its text is in, or says the wrong one; it was read as %s. %s", e.Title, domain.ChooseEncoding))
	}
}

// rtfPages finds the pages that a file states.
var rtfPages = regexp.MustCompile(`\\(ansicpg|fcharset|cpg)(\d{1,6})`)

// word obeys a control word about fonts and pages, and reports whether it was one that only
// the table has.
func (f *rtfFonts) word(word string, n int) {
	switch {
	case f.chosen:
	case word == "ansicpg" || word == "mac" || word == "pc" || word == "pca":
		if e := pageOf(map[string]int{"ansicpg": n, "mac": 10000, "pc": 437, "pca": 850}[word]); e != nil {
			f.page = e
		}
	case word == "f" && f.inTable:
		f.font = n
	case word == "fcharset" && f.inTable:
		f.set(pageOf(fontPages[n]))
	case word == "cpg" && f.inTable:
		f.set(pageOf(n))
	}
}

func (f *rtfFonts) set(e *Encoding) {
	if e == nil || len(f.pages) == maxFonts {
		return
	}
	if f.pages == nil {
		f.pages = make(map[int]*Encoding)
	}
	f.pages[f.font] = e
}

// of returns the encoding of text in a font.
func (f *rtfFonts) of(font int) *Encoding {
	if e := f.pages[font]; e != nil && !f.chosen {
		return e
	}
	return f.page
}

// fontPages are the code pages of the character sets of fonts. Sets 0 and 1 are the usual
// page of the file.
var fontPages = map[int]int{
	77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// pageOf returns the encoding of a code page's number, or nil.
func pageOf(n int) *Encoding {
	names := map[int]string{
		874: "windows-874", 932: "shift_jis", 936: "gb18030", 949: "euc-kr", 950: "big5", 10000: "macintosh", 10007: "x-mac-cyrillic", 20866: "koi8-r", 21866: "koi8-u",
		51932: "euc-jp", 51949: "euc-kr", 54936: "gb18030", 65001: "utf-8", 1361: "euc-kr",
	}
	if name := names[n]; name != "" {
		return encodingOf(name)
	}
	for _, prefix := range []string{"windows-", "ibm"} {
		if e := encodingOf(prefix + strconv.Itoa(n)); e != nil && n > 0 {
			return e
		}
	}
	if n > 28590 && n < 28607 {
		return encodingOf("iso-8859-" + strconv.Itoa(n-28590))
	}
	return nil
}

// rtfPage returns the encoding of a file that states none, or Windows-1252 as programs do that
// know no better, from its bytes; nil where they say nothing.
func rtfPage(data []byte) *Encoding {
	var sample []byte
	for i := 0; i < len(data) && len(sample) < maxSample; i++ {
		switch c := data[i]; {
		case c == '\\' && i+3 < len(data) && data[i+1] == '\'':
			n, err := strconv.ParseUint(string(data[i+2:i+4]), 16, 8)
			if err == nil {
				sample = append(sample, byte(n))
			}
			i += 3
		case c == '\\':
			for i+1 < len(data) && (data[i+1] >= 'a' && data[i+1] <= 'z' || data[i+1] >= '0' && data[i+1] <= '9' || data[i+1] == '-') {
				i++
			}
			if i+1 < len(data) && data[i+1] == ' ' {
				i++ // it ends the word
			} else {
				sample = append(sample, ' ')
			}
		case c == '{' || c == '}' || c == '\r' || c == '\n':
		default:
			sample = append(sample, c)
		}
	}
	if isSevenBit(sample) {
		return nil
	}
	g := compare(sample, encodings())
	if usual := encodingOf("windows-1252"); g.of == nil || g.of.codec == encoding.Nop || usual.fits(sample, g) {
		return nil
	}
	return g.of
}
