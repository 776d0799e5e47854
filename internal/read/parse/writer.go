package parse

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// A writer assembles a text from paragraphs and counts positions. Beyond its limit it ignores
// input, and finish returns an error.
type writer struct {
	limits     Limits
	field      string    // of records, which contains their text; "" to choose one
	keepStruck bool      // struck text is kept, marked
	drawn      bool      // a program draws pictures that can't be decoded
	encoding   *Encoding // chosen by a person; nil to guess it
	within     int       // nesting of parts in other formats
	title      string
	facts      domain.Facts
	properties map[string][]string
	text       strings.Builder
	runes      int
	pages      []domain.Page
	turning    bool // a page has begun and is still empty
	headings   []domain.Heading
	warnings   []string
	pictures   []domain.Picture
	gallery    gallery
	full       bool
	crowded    bool // more than MaxUnits pages
}

// MaxUnits is the maximum number of pages, slides, records and the like in a text.
const MaxUnits = 200_000

// paragraph adds flowing text: it collapses spaces and keeps line breaks.
func (w *writer) paragraph(s string) domain.Span {
	return w.add(squeeze(strings.Split(tidy(s), "\n")))
}

// code adds preformatted text.
func (w *writer) code(s string) {
	w.add(squeeze(strings.Split(tidyPreformatted(s), "\n")))
}

// lines adds a paragraph of clean lines.
func (w *writer) lines(lines []string) {
	w.add(squeeze(lines))
}

// maxHeading bounds headings, in code points: each chunk below repeats them. A longer one is text.
const maxHeading = 1000

func (w *writer) heading(level int, s string) domain.Span {
	s = tidyLine(s)
	span := w.add(s)
	if !span.Empty() && span.End-span.Start <= maxHeading {
		w.headings = append(w.headings, domain.Heading{Level: level, Text: s, Span: span})
	}
	return span
}

// add appends a paragraph after a blank line and returns its span.
func (w *writer) add(s string) domain.Span {
	if s == "" || w.full {
		return domain.Span{}
	}
	if w.runes > 0 {
		w.text.WriteString("\n\n")
		w.runes += 2
	}
	span := domain.Span{Start: w.runes, End: w.runes + utf8.RuneCountInString(s)}
	if w.turning {
		w.pages[len(w.pages)-1].Span.Start = span.Start
		w.turning = false
	}
	w.text.WriteString(s)
	w.runes = span.End
	w.full = w.runes > w.limits.MaxChars
	return span
}

// page starts a page. labels are the file's page labels, if any.
func (w *writer) page(number int, labels []string) {
	label := ""
	if number <= len(labels) && labels[number-1] != strconv.Itoa(number) {
		label = shorten(tidyLine(labels[number-1]), maxLabel)
	}
	w.unit(domain.UnitPage, label, number)
}

// maxLabel bounds the labels of pages, in code points.
const maxLabel = 40

// unit starts a page of any unit. The name is that of its sheet, or
// the label of a page.
func (w *writer) unit(unit domain.Unit, name string, number int) {
	w.closePage()
	w.turning = w.place(domain.Page{Unit: unit, Name: name, Number: number, Span: domain.Span{Start: w.runes, End: w.runes}})
}

// place records the position of a page. It returns false if there are too many.
func (w *writer) place(p domain.Page) bool {
	if w.crowded = w.crowded || len(w.pages) == MaxUnits; w.crowded {
		return false
	}
	w.pages = append(w.pages, p)
	return true
}

// together adds a paragraph of parts that are places of their own.
func (w *writer) together(unit domain.Unit, name, between string, parts []string, numbers []int) {
	w.closePage()
	at := w.add(strings.Join(parts, between)).Start
	for i, part := range parts {
		end := at + utf8.RuneCountInString(part)
		w.place(domain.Page{Unit: unit, Name: name, Number: numbers[i], Span: domain.Span{Start: at, End: end}})
		at = end + utf8.RuneCountInString(between)
	}
}

func (w *writer) closePage() {
	if len(w.pages) > 0 {
		w.pages[len(w.pages)-1].Span.End = w.runes
	}
	w.turning = false
}

// warn adds a warning once.
func (w *writer) warn(sentence string) {
	w.warnings = lists.AppendOnce(w.warnings, sentence)
}

// name sets the title unless there is one.
func (w *writer) name(title string) {
	if w.title == "" {
		w.title = shorten(tidyLine(title), maxTitle)
	}
}

// maxTitle bounds titles, in code points. Faulty documents mark whole paragraphs as titles.
const maxTitle = 300

// finish returns the text. An empty text always has a warning.
func (w *writer) finish() (domain.Text, error) {
	if w.full {
		return domain.Text{}, tooMuchText(w.limits.MaxChars)
	}
	if w.crowded {
		return domain.Text{}, domain.Errorf(domain.TooLarge, "This file holds more than %d records, rows or other parts, which is the limit. Split it into smaller files.", MaxUnits)
	}
	w.closePage()
	if w.runes == 0 && len(w.warnings) == 0 {
		w.warn("This file contains no text.")
	}
	pictures := w.kept()
	return WithWords(domain.Text{
		Title:    w.title,
		Content:  w.text.String(),
		Pages:    w.pages,
		Headings: w.headings,
		Warnings: w.warnings,
		Facts:    w.facts,

		Properties: w.properties,
		Pictures:   pictures,
	}, altOf), nil
}

// over returns an error if so many bytes are more than a text may hold.
func (w *writer) over(size int) error {
	if size > utf8.UTFMax*w.limits.MaxChars {
		return tooMuchText(w.limits.MaxChars)
	}
	return nil
}

func tooMuchText(limit int) error {
	return domain.Errorf(domain.TooLarge, "This file holds more than %d characters of text, which is the limit. Split it into smaller files.", limit)
}

// squeeze joins lines, without blank ones at the ends and at most one in a row. It makes whole the words that a hyphen
// (U+2010) breaks at the end of a line.
func squeeze(lines []string) string {
	var b strings.Builder
	blank := false
	for i, line := range lines {
		if i+1 < len(lines) && strings.HasSuffix(line, "\u2010") {
			line, lines[i+1] = wholeWord(line, lines[i+1])
		}
		line = strings.TrimRight(line, " ")
		if line == "" {
			blank = b.Len() > 0
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if blank {
			b.WriteByte('\n')
		}
		blank = false
		b.WriteString(line)
	}
	return b.String()
}

// wholeWord moves the rest of a broken word from the next line to the end of a line.
func wholeWord(line, next string) (string, string) {
	words := strings.TrimLeft(next, " ")
	end, hyphen, ok := prose.Compounds(nil).Mend(line, words)
	if !ok {
		return line, next
	}
	rest, more, _ := strings.Cut(words, " ")
	if more != "" {
		more = next[:len(next)-len(words)] + more
	}
	return line[:end] + hyphen + rest, more
}

// shorten cuts s to n code points.
func shorten(s string, n int) string {
	return norm.NFC.String(domain.Span{End: n}.Slice(s))
}

// tidy cleans s and collapses the spaces in each line.
func tidy(s string) string {
	s = clean(s, " ")
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitAfterSeq(s, "\n") {
		for i, word := range strings.Fields(line) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// tidyLine cleans s and joins its lines.
func tidyLine(s string) string {
	return domain.OneLine(clean(s, " "))
}

// tidyPreformatted cleans s but keeps its spaces.
func tidyPreformatted(s string) string {
	return clean(s, "    ")
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// clean normalises s to form C, spells out ligatures, unifies line breaks and spaces, replaces
// tabs, and drops control and invisible characters.
func clean(s, tab string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.ReplaceAll(s, "\t", tab)
	s = strings.ReplaceAll(s, "\u00AD\n", "\u2010\n") // the word goes on in the next line
	if strings.Contains(s, "\xEF\xAC") {              // the first bytes of all ligatures
		s = ligatures.Replace(s)
	}
	return norm.NFC.String(strings.Map(cleanRune, s))
}

// cleanRune maps r to its clean form, or to -1 to drop it.
func cleanRune(r rune) rune {
	switch {
	case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
		return '\n'
	case unicode.Is(unicode.Zs, r), r == 0x2061: // U+2061 is function application
		return ' '
	case r >= 0xF020 && r <= 0xF0FF:
		if symbol, ok := script.Symbol("", r); ok {
			return symbol
		}
	case unicode.IsControl(r) && r != '\t', isInvisible(r):
		return -1
	}
	return r
}

// isInvisible reports whether r only pads, breaks or reorders text. The joiners U+200C and U+200D
// do more: emoji and several scripts need them.
func isInvisible(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x200B, r == 0x2060, r == 0xFEFF: // soft hyphen, zero-width spaces
		return true
	case r >= 0x200E && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // direction marks
		return true
	case r >= 0x2062 && r <= 0x2064: // operators in formulas
		return true
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE: // not characters
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF && !unicode.Is(unicode.M, r) // tags
}

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
	tables []*openTable // tables being read, outermost first
	size   int          // bytes read so far
}

// over returns an error if more was read than a text may hold.
func (b *blocks) over() error { return b.w.over(b.size) }

// An openTable is an unfinished table.
type openTable struct {
	grid  *grid
	cell  openCell
	inRow bool
	gone  bool // the row is deleted
}

// An openCell is an unfinished cell.
type openCell struct {
	open          bool
	text          strings.Builder
	columns, rows int  // columns and rows that it covers
	continued     bool // it belongs to the cell above
}

// put writes a paragraph with its mark: a heading of a level, a list item of a depth, or a part of the open cell.
func (b *blocks) put(level int, mark, text string, depth int) {
	number := strings.TrimPrefix(mark, "- ")
	switch table := b.table(); {
	case table != nil:
		table.add(number + text)
	case level > 0:
		b.flushList()
		if level == 1 {
			b.w.name(text)
		}
		b.w.heading(level, number+text)
	case mark != "":
		b.list = append(b.list, listItem(strings.Split(tidy(text), "\n"), mark, depth)...)
	default:
		b.flushList()
		b.w.paragraph(text)
	}
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
	b.tables = append(b.tables, &openTable{grid: newGrid(b.w.limits.MaxChars)})
}

// startRow begins a row of the innermost table.
func (b *blocks) startRow() {
	if t := b.table(); t != nil {
		t.endRow()
		t.grid.row(false)
		t.inRow = true
	}
}

// headRow records that the open row names columns.
func (b *blocks) headRow() {
	if t := b.table(); t != nil && t.inRow {
		t.grid.rows[len(t.grid.rows)-1].head = true
	}
}

// dropRow records that the open row is deleted.
func (b *blocks) dropRow() {
	if t := b.table(); t != nil && t.inRow {
		t.gone = true
	}
}

// startCell begins a cell that covers a number of columns and rows.
func (b *blocks) startCell(columns, rows int) {
	t := b.table()
	if t == nil {
		return
	}
	if !t.inRow {
		b.startRow()
	}
	t.endCell()
	t.cell.open, t.cell.columns, t.cell.rows = true, columns, rows
}

// cell returns the open cell of the innermost table, or nil.
func (b *blocks) cell() *openCell {
	if t := b.table(); t != nil && t.cell.open {
		return &t.cell
	}
	return nil
}

func (b *blocks) endCell() {
	if t := b.table(); t != nil {
		t.endCell()
	}
}

func (b *blocks) endRow() {
	if t := b.table(); t != nil {
		t.endRow()
	}
}

func (t *openTable) endCell() {
	c := &t.cell
	if !c.open {
		return
	}
	if c.continued {
		t.grid.continued(c.columns)
	} else {
		t.grid.cell(c.text.String(), c.columns, c.rows)
	}
	t.cell = openCell{}
}

func (t *openTable) endRow() {
	t.endCell()
	if t.gone {
		t.grid.drop()
	}
	t.inRow, t.gone = false, false
}

// endTable writes the innermost table, or adds it to the cell around it.
func (b *blocks) endTable() {
	t := b.table()
	if t == nil {
		return
	}
	t.endRow()
	b.tables = b.tables[:len(b.tables)-1]
	lines := t.grid.lines()
	if outer := b.table(); outer == nil {
		b.w.lines(lines)
	} else {
		outer.add(inCell(lines))
	}
}

// inCell returns the rows of a table inside a cell of another one. It separates cells by a different sign, so that the
// columns of the outer table stay intact.
func inCell(lines []string) string {
	rows := lists.Map(lines, func(line string) string { return strings.ReplaceAll(strings.Trim(line, "| "), " | ", ", ") })
	return strings.Join(rows, "; ")
}

// add adds text to the open cell.
func (t *openTable) add(s string) {
	if t.cell.open {
		t.cell.text.WriteString(" " + s)
	}
}

// A grid makes rows of cells that may cover several columns and rows: the text of
// a cell stands in each place that it covers.
type grid struct {
	limit   int // bytes that covered places may repeat in total
	covered int // places so far
	rows    []gridRow
	below   []covering // by column: cells that extend into the next rows
	repeats int
}

// A gridRow is a row with its cells in their columns.
type gridRow struct {
	cells []gridCell
	head  bool // it names columns
}

type gridCell struct {
	text    string
	covered bool // by a cell to its left or above
	wide    bool // it is, or is covered by, a cell of several columns
	above   bool // it is covered by a cell above
}

type covering struct {
	cell gridCell
	rows int
}

// maxCovered bounds the places of a table covered by cells beside or above. Beyond that, each cell covers only its own
// place.
const maxCovered = 1_000_000

// endless is the number of rows of a cell that reaches to the end of its group.
const endless = 1 << 30

// newGrid returns an empty grid. The bytes that it repeats are bounded.
func newGrid(limit int) *grid { return &grid{limit: limit} }

// group begins a group of rows. Cells above do not extend into it.
func (g *grid) group() { g.below = nil }

// row begins a row.
func (g *grid) row(head bool) {
	g.rows = append(g.rows, gridRow{head: head})
	g.reach()
}

// reach puts the cells above into the next places that they cover.
func (g *grid) reach() {
	if g.covered > maxCovered {
		g.below = nil
	}
	row := &g.rows[len(g.rows)-1]
	for at := len(row.cells); at < len(g.below) && g.below[at].rows > 0; at = len(row.cells) {
		g.below[at].rows--
		cell := g.below[at].cell
		cell.covered, cell.above = true, true
		g.put(cell)
	}
}

// put adds a cell, without its text if too much was repeated.
func (g *grid) put(c gridCell) {
	if c.covered {
		g.covered++
		if g.repeats += len(c.text); g.repeats > g.limit {
			c.text = ""
		}
	}
	row := &g.rows[len(g.rows)-1]
	row.cells = append(row.cells, c)
}

// cell adds a cell that covers a number of columns and rows to the row, after the cells from above that reach into it.
func (g *grid) cell(text string, columns, rows int) {
	if len(g.rows) == 0 {
		g.row(false)
	}
	g.reach()
	row := &g.rows[len(g.rows)-1]
	if g.covered > maxCovered {
		columns, rows = 1, 1
	}
	columns = min(max(columns, 1), maxCells-len(row.cells))
	for i := range columns {
		c := gridCell{text: tidyLine(text), covered: i > 0, wide: columns > 1}
		at := len(row.cells)
		g.put(c)
		if at < len(g.below) && g.below[at].rows > 0 {
			g.below[at].rows-- // a cell above extends here too
		}
		if rows > 1 {
			for len(g.below) <= at {
				g.below = append(g.below, covering{})
			}
			g.below[at] = covering{c, rows - 1}
		}
	}
	g.reach()
}

// continued adds a place that a cell of the row above covers, as formats say it
// that mark each place.
func (g *grid) continued(columns int) {
	n := len(g.rows)
	if g.covered > maxCovered {
		columns = 1
	}
	for range max(columns, 1) {
		at := len(g.rows[n-1].cells)
		if at >= maxCells {
			return
		}
		cell := gridCell{}
		if n > 1 && at < len(g.rows[n-2].cells) {
			cell = g.rows[n-2].cells[at]
		}
		cell.covered, cell.above = true, true
		g.put(cell)
	}
}

// drop removes the last row.
func (g *grid) drop() { g.rows = g.rows[:len(g.rows)-1] }

// lines returns the rows as lines. Rows that name columns are one, with the names
// of a column joined. A row of a single cell is written once, however wide it is.
func (g *grid) lines() []string {
	head := g.headRows()
	var lines []string
	for i := 0; i < len(g.rows); i++ {
		if i < head && !g.rows[i].single() {
			end := i + 1
			for end < head && !g.rows[end].single() {
				end++
			}
			lines = append(lines, tableRow(joined(g.rows[i:end])))
			i = end - 1
			continue
		}
		lines = append(lines, g.rows[i].line())
	}
	return lines
}

// line returns the row as a line.
func (r gridRow) line() string {
	if r.single() {
		return tableRow([]string{r.cells[0].text})
	}
	cells := lists.Map(r.cells, func(c gridCell) string { return c.text })
	return tableRow(cells)
}

// single reports whether one cell covers the row.
func (r gridRow) single() bool {
	if len(r.cells) == 0 || r.cells[0].above {
		return false
	}
	return !slices.ContainsFunc(r.cells[1:], func(c gridCell) bool { return !c.covered || c.above })
}

// joined returns the names of the columns that several rows give.
func joined(rows []gridRow) []string {
	var names []string
	for i, r := range rows {
		for column, c := range r.cells {
			if column == len(names) {
				names = append(names, "")
			}
			if c.text == "" || i > 0 && c.above && column < len(rows[i-1].cells) && rows[i-1].cells[column].text == c.text {
				continue
			}
			names[column] = strings.TrimSpace(names[column] + " " + c.text)
		}
	}
	return names
}

// maxHeadRows bounds the rows that name columns.
const maxHeadRows = 6

// headRows returns how many rows name the columns: those that the file marks, or else the first row and the rows below
// it that split its wide cells.
func (g *grid) headRows() int {
	n := 0
	for n < len(g.rows) && g.rows[n].head {
		n++
	}
	if n > 0 {
		return min(n, maxHeadRows)
	}
	for n < len(g.rows) && g.rows[n].single() {
		n++
	}
	for start := n; n+1 < len(g.rows) && n-start < maxHeadRows && parts(g.rows[n], g.rows[n+1]); n++ {
	}
	return min(n+1, len(g.rows))
}

// parts reports whether a row names the parts of the wide cells above: it does not
// begin with the name of a row, and holds figures only where all else is blank.
func parts(upper, lower gridRow) bool {
	wide, named, figures := false, false, 0
	beside := false // whether there is text next to them
	for i, c := range lower.cells {
		if i >= len(upper.cells) || !upper.cells[i].wide {
			switch {
			case c.text == "" || c.above:
				named = true
			case i == 0:
				return false // the name of a row
			default:
				beside = true
			}
			continue
		}
		wide = true
		if c.text == "" || c.above {
			return false
		}
		if strings.ContainsAny(c.text, "0123456789") && !strings.ContainsFunc(c.text, unicode.IsLetter) {
			figures++
		}
	}
	return wide && (figures == 0 || named && !beside)
}
