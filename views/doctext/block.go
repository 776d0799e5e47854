package doctext

import (
	"slices"
	"sort"
	"strconv"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// A Block is a heading, a paragraph or a page mark.
type Block struct {
	Page    int    // number of the page that begins here; the block then has no text
	Heading int    // level from 1; 0 for a paragraph
	Anchor  string // id of a heading
	Start   int    // in code points of the text
	Runs    []Run
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
	for _, p := range c.paragraphs(window) {
		out.Blocks = append(out.Blocks, c.blocks(p)...)
	}
	return out
}

// Around returns a window of at least size code points around the middle of a
// span, extended to whole paragraphs.
func Around(content string, s domain.Span, size int) domain.Span {
	runes := []rune(content)
	spare := max(0, size-s.Len()) / 2
	start, end := clamp(s.Start-spare, len(runes)), clamp(s.End+spare, len(runes))
	for start > 0 && !breaksBefore(runes, start) {
		start--
	}
	for end < len(runes) && !breaksBefore(runes, end) {
		end++
	}
	return domain.Span{Start: start, End: end}
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
		if page, ok := c.pageFrom(at); ok {
			out = append(out, Block{Page: page})
		}
		end, level, id := c.until(at, p.End)
		if piece := (domain.Span{Start: at, End: end}); !blank(c.runes[at:end]) {
			out = append(out, Block{Heading: level, Anchor: id, Start: at, Runs: c.runs(piece)})
		}
		at = end
		for at < p.End && c.runes[at] == '\n' {
			at++
		}
	}
	return out
}

// pageFrom returns the number of the page that begins at a position or in the
// white space before it.
func (c *cutter) pageFrom(at int) (int, bool) {
	pages := c.text.Pages
	i := sort.Search(len(pages), func(i int) bool { return pages[i].Span.Start > at })
	if i == 0 {
		return 0, false
	}
	last := pages[i-1]
	return last.Number, blank(c.runes[clamp(last.Span.Start, at):at])
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
	if i < len(pages) {
		end = min(end, pages[i].Span.Start)
	}
	return end, 0, ""
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
