package chunk

import "github.com/clewhq/clew/internal/domain"

// place follows the chunks through the pages and headings of a text.
type place struct {
	pages    []domain.Page    // ahead
	headings []domain.Heading // ahead
	page     int              // 0 when the text has no pages
	open     []domain.Heading // the headings above, outermost first
}

// advance moves to the code point at, which is never before the last.
func (p *place) advance(at int) {
	for len(p.pages) > 0 && p.pages[0].Span.Start <= at {
		p.page = p.pages[0].Number
		p.pages = p.pages[1:]
	}
	for len(p.headings) > 0 && p.headings[0].Span.Start <= at {
		h := p.headings[0]
		for n := len(p.open); n > 0 && p.open[n-1].Level >= h.Level; n-- {
			p.open = p.open[:n-1]
		}
		p.open = append(p.open, h)
		p.headings = p.headings[1:]
	}
}

// path returns the headings above, outermost first.
func (p *place) path() []string {
	path := make([]string, len(p.open))
	for i, h := range p.open {
		path[i] = h.Text
	}
	return path
}
