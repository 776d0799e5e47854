package doctext

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Block is a heading, a paragraph, a table or a page mark.
type Block struct {
	Mark    string // names the page that begins here, such as "Slide 3"; the block then has no text
	Page    int    // number of that page, if it is one
	Heading int    // level from 1; 0 for a paragraph
	Anchor  string // id of a heading
	Start   int    // in code points of the text
	Runs    []Run
	Rows    []Row // of a table or of code, which has no runs itself
	Code    bool
	Head    bool // the first row is the table's first
}

// A Row is a row of a table.
type Row struct {
	Number int // in its file; 0 if it has none
	Cells  []Cell
}

// A Cell is a cell of a row.
type Cell struct {
	Start int // in code points of the text
	Runs  []Run
}

// A Run is a part of a block, marked or not.
type Run struct {
	Hit    bool
	First  bool // it is the first marked run of the text
	Pieces []Piece
}

// A Piece is text that may link to an entity.
type Piece struct {
	Text string
	Href string // "" for plain text
	Name string // of the entity
}

// An Entry is a line of the table of contents.
type Entry struct {
	Level  int
	Text   string
	Anchor string
	Start  int // of the heading, in code points
}

// A Cut is a text, or a window of it, cut into blocks.
type Cut struct {
	Blocks        []Block
	Window        domain.Span
	Before, After bool // there is text outside the window
}

// New cuts the window of a text into blocks; an empty window covers all of it.
// Window and hit are clamped to the text. The pieces of the marked runs joined
// are exactly the characters of hit, except for line ends between paragraphs.
func New(t domain.Text, mentions []Mention, hit, window domain.Span) Cut {
	c := newCutter(t, mentions, hit)
	if window.Empty() {
		window = domain.Span{Start: 0, End: len(c.runes)}
	}
	window.Start, window.End = max(0, window.Start), min(len(c.runes), window.End)
	out := Cut{Window: window, Before: window.Start > 0, After: window.End < len(c.runes)}
	out.Blocks = lists.Flat(c.paragraphs(window), c.blocks)
	return out
}

// Around returns a window of at least size code points around the middle of a
// span, extended to whole paragraphs, or to whole lines of very long ones.
func Around(content string, s domain.Span, size int) domain.Span {
	runes := []rune(content)
	spare := max(0, size-s.Len()) / 2
	start, end := clamp(s.Start-spare, len(runes)), clamp(s.End+spare, len(runes))
	return domain.Span{Start: extended(runes, start, -1), End: extended(runes, end, 1)}
}

// maxExtended is how far a window is extended to the end of a paragraph, and as far again to the end of a line.
const maxExtended = 4_000

// extended moves a position to where a paragraph begins, or else a line.
func extended(runes []rune, from, step int) int {
	line := -1
	for at := from; at > 0 && at < len(runes); at += step {
		if breaksBefore(runes, at) {
			return at
		}
		if line < 0 && runes[at-1] == '\n' {
			line = at
		}
		if far := max(at-from, from-at); line >= 0 && far > maxExtended {
			return line
		} else if far > 2*maxExtended {
			return from
		}
	}
	if from <= 0 || step < 0 {
		return 0
	}
	return len(runes)
}

// breaksBefore reports whether a paragraph ends just before i.
func breaksBefore(runes []rune, i int) bool {
	return i >= 2 && runes[i-1] == '\n' && runes[i-2] == '\n'
}

func clamp(n, most int) int { return min(max(n, 0), most) }

// Contents returns the table of contents of a text.
func Contents(t domain.Text) []Entry {
	entries := make([]Entry, len(t.Headings))
	for i, h := range t.Headings {
		entries[i] = Entry{h.Level, h.Text, anchor(i), h.Span.Start}
	}
	return entries
}

func anchor(i int) string { return "h-" + strconv.Itoa(i+1) }

type cutter struct {
	text     domain.Text
	runes    []rune
	mentions []Mention // in order, without overlap
	hit      domain.Span
	marked   bool // the first marked run was cut
}

func newCutter(t domain.Text, mentions []Mention, hit domain.Span) *cutter {
	c := &cutter{text: t, runes: []rune(t.Content)}
	c.hit = domain.Span{Start: clamp(hit.Start, len(c.runes)), End: clamp(hit.End, len(c.runes))}
	sorted := slices.Clone(mentions)
	slices.SortStableFunc(sorted, func(a, b Mention) int {
		if a.Span.Start != b.Span.Start {
			return a.Span.Start - b.Span.Start
		}
		return b.Span.End - a.Span.End
	})
	end := 0
	for _, m := range sorted {
		if m.Span.Start >= end && !m.Span.Empty() && m.Span.End <= len(c.runes) {
			c.mentions, end = append(c.mentions, m), m.Span.End
		}
	}
	return c
}

// paragraphs returns the spans between blank lines within the window.
func (c *cutter) paragraphs(w domain.Span) []domain.Span {
	var spans []domain.Span
	start := w.Start
	for i := w.Start; i <= w.End; i++ {
		if i < w.End && (c.runes[i] != '\n' || i+1 >= w.End || c.runes[i+1] != '\n') {
			continue
		}
		if s := (domain.Span{Start: start, End: i}); !blank(c.runes[s.Start:s.End]) {
			spans = append(spans, s)
		}
		start = i
	}
	return spans
}

// blocks cuts a paragraph at its page marks and heading lines.
func (c *cutter) blocks(p domain.Span) []Block {
	for p.Start < p.End && c.runes[p.Start] == '\n' {
		p.Start++
	}
	var out []Block
	at := p.Start
	for at < p.End {
		if mark, ok := c.pageFrom(at); ok {
			out = append(out, mark)
		}
		end, level, id := c.until(at, p.End)
		piece := domain.Span{Start: at, End: end}
		switch rows := c.rows(piece, level); {
		case rows != nil:
			first, _ := c.pageAt(at)
			head := first.Unit != domain.UnitLine && (at == 0 || breaksBefore(c.runes, at) || first.Span.Start == at)
			out = append(out, Block{Start: at, Rows: rows, Code: first.Unit == domain.UnitLine, Head: head})
		case !blank(c.runes[at:end]):
			out = append(out, Block{Heading: level, Anchor: id, Start: at, Runs: c.runs(piece)})
		}
		at = end
		for at < p.End && c.runes[at] == '\n' {
			at++
		}
	}
	return out
}

// pageFrom returns the mark of the page that begins at a position or in the
// white space before it. Rows and lines have none: they show their numbers.
func (c *cutter) pageFrom(at int) (Block, bool) {
	page, ok := c.pageAt(at)
	switch {
	case !ok || !blank(c.runes[clamp(page.Span.Start, at):at]):
		return Block{}, false
	case page.Unit == domain.UnitPage:
		return Block{Mark: page.Title(), Page: page.Number}, true
	case page.Unit == domain.UnitLine, page.Unit == domain.UnitRow && page.Number > 0:
		return Block{}, false
	}
	return Block{Mark: page.Title()}, true
}

// pageAt returns the last page that begins at a position or before it.
func (c *cutter) pageAt(at int) (domain.Page, bool) {
	pages := c.text.Pages
	i := sort.Search(len(pages), func(i int) bool { return pages[i].Span.Start > at })
	if i == 0 {
		return domain.Page{}, false
	}
	return pages[i-1], true
}

// blank reports whether there is nothing but white space.
func blank(runes []rune) bool {
	return !slices.ContainsFunc(runes, func(r rune) bool { return !unicode.IsSpace(r) })
}

// until returns where the block that begins at a position ends: at the end of
// its heading line, or before the next heading or page.
func (c *cutter) until(at, end int) (int, int, string) {
	headings, pages := c.text.Headings, c.text.Pages
	i := sort.Search(len(headings), func(i int) bool { return headings[i].Span.End > at })
	if i < len(headings) {
		if h := headings[i]; h.Span.Start <= at {
			return min(end, h.Span.End), max(1, h.Level), anchor(i)
		}
		end = min(end, headings[i].Span.Start)
	}
	i = sort.Search(len(pages), func(i int) bool { return pages[i].Span.Start > at })
	for ; i < len(pages) && pages[i].Span.Start < end; i++ {
		if u := pages[i].Unit; u != domain.UnitTime && u != domain.UnitRow { // which may change within a paragraph
			return pages[i].Span.Start, 0, ""
		}
	}
	return end, 0, ""
}

// rows returns the rows of a table, or the lines of code, nil for anything else. A
// table is a paragraph of two lines or more, each of which has cells.
func (c *cutter) rows(p domain.Span, level int) []Row {
	page, ok := c.pageAt(p.Start)
	code := ok && page.Unit == domain.UnitLine
	numbered := code || ok && page.Unit == domain.UnitRow && page.Number > 0
	if level > 0 {
		return nil
	}
	lines := c.lines(p)
	if !numbered && (len(lines) < 2 || slices.ContainsFunc(lines, func(l domain.Span) bool { return len(c.cells(l)) < 2 })) {
		return nil
	}
	rows, number := []Row{}, 0
	for _, line := range lines {
		row, cells := Row{}, []domain.Span{line}
		if !code {
			cells = c.cells(line)
		}
		if numbered {
			number = c.rowNumber(line.Start, number+1)
			row.Number = number
		}
		row.Cells = lists.Map(cells, func(cell domain.Span) Cell { return Cell{cell.Start, c.runs(cell)} })
		rows = append(rows, row)
	}
	return rows
}

// lines returns the lines of a paragraph.
func (c *cutter) lines(p domain.Span) (lines []domain.Span) {
	for at := p.Start; at < p.End; {
		line := domain.Span{Start: at, End: at}
		for line.End < p.End && c.runes[line.End] != '\n' {
			line.End++
		}
		if at = line.End + 1; !line.Empty() {
			lines = append(lines, line)
		}
	}
	return lines
}

// rowNumber returns the number of the row that begins at a position, which is
// next unless it is the first that is asked for, or begins a page.
func (c *cutter) rowNumber(at, next int) int {
	page, _ := c.pageAt(at)
	if next > 1 && page.Span.Start != at {
		return next
	}
	return page.Number + strings.Count(string(c.runes[page.Span.Start:at]), "\n")
}

// cells returns the text between the marks of cells in a line.
func (c *cutter) cells(line domain.Span) []domain.Span {
	var cells []domain.Span
	start := line.Start
	for i := line.Start; i < line.End; i++ {
		first, last := i == line.Start, i+1 == line.End
		if c.runes[i] == '|' && (first || c.runes[i-1] == ' ') && (last || c.runes[i+1] == ' ') {
			cells = append(cells, domain.Span{Start: start, End: max(start, i-1)})
			start = min(i+2, line.End)
		}
	}
	return append(cells, domain.Span{Start: start, End: line.End})
}

// runs cuts a block at both ends of the hit.
func (c *cutter) runs(b domain.Span) []Run {
	from, to := clampIn(c.hit.Start, b), clampIn(c.hit.End, b)
	var out []Run
	add := func(s domain.Span, hit bool) {
		if s.Empty() {
			return
		}
		out = append(out, Run{Hit: hit, First: hit && !c.marked, Pieces: c.pieces(s)})
		c.marked = c.marked || hit
	}
	add(domain.Span{Start: b.Start, End: from}, false)
	add(domain.Span{Start: from, End: to}, true)
	add(domain.Span{Start: to, End: b.End}, false)
	return out
}

func clampIn(n int, s domain.Span) int { return min(max(n, s.Start), s.End) }

// pieces cuts a run at the mentions within it.
func (c *cutter) pieces(s domain.Span) []Piece {
	var out []Piece
	add := func(from, to int, m Mention) {
		if from < to {
			out = append(out, Piece{string(c.runes[from:to]), m.Href, m.Name})
		}
	}
	at := s.Start
	first, _ := slices.BinarySearchFunc(c.mentions, s.Start, func(m Mention, start int) int { return m.Span.End - start - 1 })
	for _, m := range c.mentions[first:] {
		if m.Span.Start >= s.End {
			break
		}
		from, to := clampIn(m.Span.Start, s), clampIn(m.Span.End, s)
		add(at, from, Mention{})
		add(from, to, m)
		at = to
	}
	add(at, s.End, Mention{})
	return out
}
