// Package chunk splits a document's text into chunks: pieces short enough to extract from and to rank,
// each an exact slice of the text. It is pure: the same text and options always give the same chunks
// with the same ids.
//
// A chunk ends at a natural break, tried in this order: before a heading, between paragraphs, between
// the lines of a list or table, between sentences, between words, and only then between characters.
// Small sections share a chunk, so that a heading with one line below it is not ranked alone, but no
// chunk crosses a heading of level 1 or 2 if the text on both sides is large enough to be a chunk (a
// quarter of the limit or more). A text under the limit without such headings is one chunk. Slides,
// records, messages and sheets never share a chunk.
//
// That is the default, domain.ByFormat. Chunks that end at tokens or sentences are filled up to the
// limit, across headings and parts of the file; chunks by headings begin at each heading; chunks by
// parts have one row, slide, message, record or page each.
//
// A chunk that begins within a table has the table's first row, which names the columns, as its last
// heading.
//
// Chunks do not overlap, because a mention in two chunks would be extracted and counted twice. A step
// that needs the words before a chunk can slice them from the text by span.
package chunk

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// DefaultTokens is the default size limit of a chunk: a few paragraphs, which
// keeps a chunk to one subject.
const DefaultTokens = 256

// A Counter counts tokens. Count must depend on nothing but the text.
type Counter interface {
	Count(text string) int
}

// Options configure Split.
type Options struct {
	Tokens  int            // maximum tokens in a chunk; DefaultTokens if not positive
	By      domain.ChunkBy // where chunks end
	Counter Counter        // required
}

// A Cut is the position of a chunk in its text.
type Cut struct {
	Span   domain.Span
	Tokens int
}

// Split cuts t into chunks of document doc, in reading order. Together they
// cover every character except white space. No chunk has more than o.Tokens
// tokens, unless a single character does. The error is that of ctx, when it
// ends first.
func Split(ctx context.Context, doc domain.DocumentID, t domain.Text, o Options) ([]domain.Chunk, error) {
	cuts, err := Cuts(ctx, t, o)
	return At(doc, t, cuts), err
}

// Cuts returns the cuts that Split makes in t. It is the slow and memory-hungry part of Split.
func Cuts(ctx context.Context, t domain.Text, o Options) ([]Cut, error) {
	if o.Tokens <= 0 {
		o.Tokens = DefaultTokens
	}
	m := measure{ctx: ctx, text: []rune(t.Content), counter: o.Counter, limit: o.Tokens, by: o.By}
	pull, stop := iter.Pull(m.pieces(t))
	defer stop()
	p := packer{measure: m, pull: pull}
	packed := p.pack()
	return lists.Map(packed, func(c piece) Cut { return Cut{domain.Span{Start: c.start, End: c.end}, c.tokens} }), ctx.Err()
}

// At returns the chunks of t at cuts, which are in reading order and within the text.
func At(doc domain.DocumentID, t domain.Text, cuts []Cut) []domain.Chunk {
	chunks := make([]domain.Chunk, len(cuts))
	seen := make(map[string]int)
	rest, start := t.Content, 0 // the text after the last cut, and where it begins
	at, above, words := place{pages: t.Pages, units: slices.Clone(t.Pages), headings: t.Headings}, tableHead{}, ""
	for i, c := range cuts {
		gap := domain.Span{End: c.Span.Start - start}.Slice(rest)
		at.advance(c.Span.Start, words+gap)
		rest = rest[len(gap):]
		words = domain.Span{End: c.Span.Len()}.Slice(rest)
		rest, start = rest[len(words):], c.Span.End
		path := at.path()
		if head := above.over(gap, words); head != "" {
			path = append(path, head)
		}
		hash := domain.Hash([]byte(words))
		chunks[i] = domain.Chunk{
			ID:       domain.NewChunkID(doc, hash, seen[hash]),
			Document: doc,
			Ordinal:  i,
			Span:     c.Span,
			Page:     at.page,
			Headings: path,
			Places:   at.within(c.Span.End),
			Text:     words,
			Tokens:   c.Tokens,
		}
		seen[hash]++
	}
	return chunks
}

// measure counts the tokens of stretches of one text. Once ctx ends it stops counting, so that an abandoned split ends at
// once.
type measure struct {
	ctx     context.Context
	text    []rune
	counter Counter
	limit   int
	by      domain.ChunkBy
}

// maxRunesPerToken is the number of runes per token of the limit above which a stretch is assumed to exceed the limit,
// because counting it could take more memory than the text itself.
const maxRunesPerToken = 16

func (m measure) tokens(start, end int) int {
	switch {
	case m.ctx.Err() != nil:
		return 0
	case end-start > maxRunesPerToken*m.limit:
		return m.limit + 1
	}
	return m.counter.Count(string(m.text[start:end]))
}

// piece is a stretch of text, without white space at its ends, that is kept
// whole if possible.
type piece struct {
	start, end int
	tokens     int
	level      int  // heading level; 0 for body text
	apart      bool // it begins a chunk
}

// piece measures the stretch from start to end after trimming white space. It
// reports false if nothing is left.
func (m measure) piece(start, end int) (piece, bool) {
	start, end = trim(m.text, start, end)
	if start == end {
		return piece{}, false
	}
	return piece{start: start, end: end, tokens: m.tokens(start, end)}, true
}

func isBlank(line []rune) bool {
	return !slices.ContainsFunc(line, func(r rune) bool { return !unicode.IsSpace(r) })
}

// packer gathers pieces into chunks. It looks only as far ahead as a chunk
// reaches, as a text may have millions of pieces.
type packer struct {
	measure
	pull   func() (piece, bool) // returns the piece after rest
	rest   []piece              // the next pieces; one may be put back or replaced by its parts
	open   []piece              // the chunk being gathered
	size   int                  // sum of its pieces' tokens
	chunks []piece
}

// pack returns the chunks, in order.
func (p *packer) pack() []piece {
	for next, more := p.ahead(0); more; next, more = p.ahead(0) {
		switch {
		case len(p.open) == 0 || !p.breakBefore(next):
			p.take(next)
		case next.apart || !p.onlyHeadings() || !p.refine(next):
			p.flush()
		}
		if _, more := p.ahead(0); !more {
			p.flush()
		}
	}
	return p.chunks
}

// ahead returns the nth of the next pieces, if there are so many.
func (p *packer) ahead(n int) (piece, bool) {
	for len(p.rest) <= n {
		next, ok := p.pull()
		if !ok {
			return piece{}, false
		}
		p.rest = append(p.rest, next)
	}
	return p.rest[n], true
}

func (p *packer) take(next piece) {
	p.rest = p.rest[1:]
	p.open = append(p.open, next)
	p.size += next.tokens + gap
}

// anyLevel is deeper than any heading level.
const anyLevel = 99

// gap is the maximum number of tokens that white space between two pieces can add.
const gap = 1

// breakBefore reports whether next must start a new chunk.
func (p *packer) breakBefore(next piece) bool {
	if next.apart {
		return true
	}
	room := p.limit - p.size
	if next.level == 0 || p.onlyHeadings() {
		return next.tokens > room
	}
	if p.lead() > room {
		return true
	}
	sizeable := p.limit / 4
	if p.size < sizeable {
		return false
	}
	return next.level <= 2 && p.section(next.level) >= sizeable || p.section(anyLevel) > room
}

// lead returns the size of the upcoming headings plus the first piece of body
// text below them, so that a heading is not separated from its text.
func (p *packer) lead() int {
	sum := 0
	for i := 0; ; i++ {
		next, ok := p.ahead(i)
		if !ok {
			break
		}
		sum += next.tokens + gap
		if next.level == 0 || sum > p.limit {
			break
		}
	}
	return sum
}

// section returns the size of the section under the next heading, up to the next
// heading of that level or above. It stops counting beyond the limit.
func (p *packer) section(level int) int {
	sum := 0
	for i := 0; sum <= p.limit; i++ {
		next, ok := p.ahead(i)
		if !ok || i > 0 && next.level > 0 && next.level <= level {
			break
		}
		sum += next.tokens + gap
	}
	return sum
}

// onlyHeadings reports whether the open chunk has no body text yet.
func (p *packer) onlyHeadings() bool {
	return !slices.ContainsFunc(p.open, func(q piece) bool { return q.level == 0 })
}

// refine replaces next, which does not fit below its heading, with its parts.
// It reports false if it has no parts or the first one does not fit either.
func (p *packer) refine(next piece) bool {
	for g := range byWord { // byLine, then bySentence
		var parts []piece
		p.cut(func(q piece) bool {
			q.level = 0
			parts = append(parts, q)
			return true
		}, next, g)
		if len(parts) > 1 && parts[0].tokens <= p.limit-p.size {
			p.rest = slices.Replace(p.rest, 0, 1, parts...)
			return true
		}
	}
	return false
}

// flush closes the open chunk. It recounts the whole, because token counts do
// not add up exactly, and puts excess pieces back.
func (p *packer) flush() {
	n := len(p.open)
	whole := p.open[0]
	for ; n > 1; n-- {
		whole.end = p.open[n-1].end
		whole.tokens = p.tokens(whole.start, whole.end)
		if whole.tokens <= p.limit {
			break
		}
	}
	if n == 1 {
		whole = p.open[0]
	}
	p.rest = slices.Insert(p.rest, 0, p.open[n:]...)
	p.chunks = append(p.chunks, whole)
	p.open, p.size = p.open[:0], 0
}

// place follows the chunks through the pages and headings of a text.
type place struct {
	at       int
	pages    []domain.Page    // not reached yet
	units    []domain.Page    // not reached yet, after the rest of the one that contains at
	headings []domain.Heading // not reached yet
	page     int              // 0 if the text has no pages
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
	return lists.Map(p.open, func(h domain.Heading) string { return h.Text })
}

// starts holds the code points at which chunks must begin, in order.
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

// passed reports whether a start lies at or before a code point, and drops it. Code points must increase from call to
// call.
func (s *starts) passed(at int) bool {
	passed := false
	for len(*s) > 0 && (*s)[0] <= at {
		*s, passed = (*s)[1:], true
	}
	return passed
}

// tableHead follows the chunks through the tables of a text.
type tableHead struct {
	first string // first row of the paragraph in which a chunk may begin; "" before it
}

// maxTableHead is the maximum length of a first row, in code points, since each chunk of the table repeats it. A longer
// one is not a row of names.
const maxTableHead = 1000

// over returns the first row of the table that begins before a chunk and continues in it, or "" if there is none. gap is
// the white space before the chunk's words.
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
	if !domain.IsRow(head) || !domain.IsRow(firstLine(words)) || domain.Runes(head) > maxTableHead {
		return ""
	}
	return head
}

// firstRow returns the first row of the table that a paragraph begins with, perhaps
// below a caption, or "".
func firstRow(paragraph string) string {
	line, rest, _ := strings.Cut(paragraph, "\n")
	if !domain.IsRow(line) {
		line = firstLine(rest)
	}
	if !domain.IsRow(line) {
		return ""
	}
	return line
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
