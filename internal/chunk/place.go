package chunk

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// place follows the chunks through the pages and headings of a text.
type place struct {
	at       int
	pages    []domain.Page    // ahead
	units    []domain.Page    // ahead, after what is left of the one that holds at
	headings []domain.Heading // ahead
	page     int              // 0 when the text has no pages
	open     []domain.Heading // the headings above, outermost first
}

// advance moves to the code point at, which is never before the last. passed is
// the text from there.
func (p *place) advance(at int, passed string) {
	for len(p.pages) > 0 && p.pages[0].Span.Start <= at {
		if first := p.pages[0]; first.Unit == domain.UnitPage || first.Unit == domain.UnitSlide {
			p.page = first.Number
		}
		p.pages = p.pages[1:]
	}
	for len(p.units) > 0 && p.units[0].Span.End <= at {
		p.units = p.units[1:]
	}
	if len(p.units) > 0 && p.units[0].Span.Start < at {
		rest := p.units[0].From(at, domain.Span{Start: p.units[0].Span.Start - p.at, End: domain.Runes(passed)}.Slice(passed))
		p.units[0] = rest
	}
	p.at = at
	for len(p.headings) > 0 && p.headings[0].Span.Start <= at {
		h := p.headings[0]
		for n := len(p.open); n > 0 && p.open[n-1].Level >= h.Level; n-- {
			p.open = p.open[:n-1]
		}
		p.open = append(p.open, h)
		p.headings = p.headings[1:]
	}
}

// within returns the parts of units that lie in a span from here on.
func (p *place) within(end int) []domain.Page {
	var held []domain.Page
	for _, u := range p.units {
		if u.Span.Start >= end {
			break
		}
		u.Span.End = min(u.Span.End, end)
		held = append(held, u)
	}
	return held
}

// path returns the headings above, outermost first.
func (p *place) path() []string {
	path := make([]string, len(p.open))
	for i, h := range p.open {
		path[i] = h.Text
	}
	return path
}

// starts are the code points at which chunks must begin, in order.
type starts []int

func (m measure) startsOf(t domain.Text) (s starts) {
	for i, p := range t.Pages {
		if i > 0 && (m.by == domain.ByParts || p.Apart(t.Pages[i-1])) {
			s = append(s, p.Span.Start)
		}
		if m.by == domain.ByParts && p.Unit == domain.UnitRow {
			for at := lineEnd(m.text, p.Span.Start); at < p.Span.End; at = lineEnd(m.text, at) {
				s = append(s, at)
			}
		}
	}
	return s
}

// passed reports whether one of them lies at or before a code point, and drops
// it. Each question is about a later one.
func (s *starts) passed(at int) bool {
	passed := false
	for len(*s) > 0 && (*s)[0] <= at {
		*s, passed = (*s)[1:], true
	}
	return passed
}

// tableHead follows the chunks through the tables of a text.
type tableHead struct {
	first string // row of the paragraph that a chunk may begin in, "" before it
}

// maxTableHead bounds first rows, in code points: each chunk of the table
// repeats its own. A longer one is no row of names.
const maxTableHead = 1000

// over returns the first row of the table that begins before a chunk and goes on
// in it, "" if there is none. gap is the white space before the chunk's words.
func (t *tableHead) over(gap, words string) string {
	head := t.first
	if head == "" || strings.Contains(gap, "\n\n") {
		head, t.first = "", ""
	}
	if at := strings.LastIndex(words, "\n\n"); at >= 0 {
		t.first = firstRow(words[at+2:])
	} else if t.first == "" {
		t.first = firstRow(words)
	}
	if !isRow(head) || !isRow(firstLine(words)) || domain.Runes(head) > maxTableHead {
		return ""
	}
	return head
}

// firstRow returns the first row of the table that a paragraph begins with, perhaps
// below a caption, or "".
func firstRow(paragraph string) string {
	line, rest, _ := strings.Cut(paragraph, "\n")
	if !isRow(line) {
		line = firstLine(rest)
	}
	if !isRow(line) {
		return ""
	}
	return line
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// isRow reports whether a line is a row of a table.
func isRow(line string) bool { return strings.Contains(line, " | ") }
