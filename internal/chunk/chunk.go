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
// limit without such headings is one chunk.
//
// Chunks do not overlap, because a mention in two chunks would be extracted and
// counted twice. A step that needs the words before a chunk can slice them from
// the text by span.
package chunk

import (
	"slices"
	"strings"

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
	Tokens  int     // maximum tokens in a chunk; DefaultTokens if not positive
	Counter Counter // required
}

// Split cuts t into chunks of document doc, in reading order. Together they
// cover every character except white space. No chunk has more than o.Tokens
// tokens, unless a single character does.
func Split(doc domain.DocumentID, t domain.Text, o Options) []domain.Chunk {
	if o.Tokens <= 0 {
		o.Tokens = DefaultTokens
	}
	text := []rune(t.Content)
	m := measure{text: text, counter: o.Counter, limit: o.Tokens, counted: map[domain.Span]int{}}
	p := packer{measure: m, rest: m.pieces(t.Headings)}
	slices.Reverse(p.rest)
	spans := p.pack()
	chunks := make([]domain.Chunk, len(spans))
	seen := make(map[string]int)
	for i, s := range spans {
		words := string(text[s.Start:s.End])
		hash := domain.Hash([]byte(words))
		chunks[i] = domain.Chunk{
			ID:       domain.NewChunkID(doc, hash, seen[hash]),
			Document: doc,
			Ordinal:  i,
			Span:     s,
			Page:     t.PageAt(s.Start),
			Headings: t.HeadingsAt(s.Start),
			Text:     words,
			Tokens:   m.tokens(s.Start, s.End),
		}
		seen[hash]++
	}
	return chunks
}

// measure counts the tokens of stretches of one text. It caches counts, because
// counting dominates the cost of splitting.
type measure struct {
	text    []rune
	counter Counter
	limit   int
	counted map[domain.Span]int
}

func (m measure) tokens(start, end int) int {
	at := domain.Span{Start: start, End: end}
	n, ok := m.counted[at]
	if !ok {
		n = m.counter.Count(string(m.text[start:end]))
		m.counted[at] = n
	}
	return n
}

// piece is a stretch of text, without white space at its ends, that is kept
// whole if possible.
type piece struct {
	start, end int
	tokens     int
	level      int // heading level; 0 for body text
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
	return strings.TrimSpace(string(line)) == ""
}
