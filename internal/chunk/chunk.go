// Package chunk splits a document's text into chunks: pieces short enough to
// extract from and to rank, each an exact slice of the text. It is pure: the
// same text and options always give the same chunks with the same ids.
//
// A chunk ends at a natural break, tried in this order: before a heading,
// between paragraphs, between the lines of a list or table, between sentences,
// between words, and only then between characters. Small sections share a
// chunk, so that a heading with one line below it is not ranked alone, but no
// chunk crosses a heading of level 1 or 2 if the text on both sides is large
// enough to stand alone (a quarter of the limit or more). A text under the
// limit without such headings is one chunk. Each slide, record and message has
// chunks of its own, and so has each sheet.
//
// That is the default, domain.ByFormat. Chunks that end at tokens or sentences are
// filled up to the limit, over headings and parts of the file; those that end at
// headings begin at each of them; those by parts hold one row, slide, message,
// record or page each.
//
// A chunk that begins within a table has its first row, which names the columns,
// as its last heading.
//
// Chunks do not overlap, because a mention in two chunks would be extracted and
// counted twice. A step that needs the words before a chunk can slice them from
// the text by span.
package chunk

import (
	"context"
	"iter"
	"slices"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
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
	By      domain.ChunkBy // what a chunk ends at
	Counter Counter        // required
}

// A Cut is where a chunk lies in its text.
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

// Cuts returns where Split cuts t. It is the part of Split that costs time and
// memory.
func Cuts(ctx context.Context, t domain.Text, o Options) ([]Cut, error) {
	if o.Tokens <= 0 {
		o.Tokens = DefaultTokens
	}
	m := measure{ctx: ctx, text: []rune(t.Content), counter: o.Counter, limit: o.Tokens, by: o.By}
	pull, stop := iter.Pull(m.pieces(t))
	defer stop()
	p := packer{measure: m, pull: pull}
	packed := p.pack()
	cuts := make([]Cut, len(packed))
	for i, c := range packed {
		cuts[i] = Cut{domain.Span{Start: c.start, End: c.end}, c.tokens}
	}
	return cuts, ctx.Err()
}

// At returns the chunks that lie in t at cuts, which are in reading order and
// within the text.
func At(doc domain.DocumentID, t domain.Text, cuts []Cut) []domain.Chunk {
	chunks := make([]domain.Chunk, len(cuts))
	seen := make(map[string]int)
	rest, start := t.Content, 0 // what follows the last cut, and where it begins
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

// measure counts the tokens of stretches of one text. When ctx ends it counts
// nothing more, so that a split that nobody waits for ends at once.
type measure struct {
	ctx     context.Context
	text    []rune
	counter Counter
	limit   int
	by      domain.ChunkBy
}

// maxRunesPerToken bounds what is counted. A longer stretch than this many
// runes for each token of the limit is taken to exceed the limit: counting it
// could take more memory than the text itself.
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
