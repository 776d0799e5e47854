// Package chunk splits a document's text into chunks: pieces short enough to
// mine and to rank, each exactly a slice of the text. It is pure: the same
// text and options always give the same chunks with the same ids.
//
// A chunk ends where the text itself pauses, looked for in this order: before
// a heading, between paragraphs, between the lines of a list or table, between
// sentences, between words, and only then between characters. Small sections
// share a chunk, so that a heading with one line below it is not ranked alone;
// but no chunk runs across a heading of level 1 or 2 when the text on both
// sides could stand for itself (a quarter of the limit or more). A text under
// the limit without such headings is one chunk.
//
// Chunks do not overlap. A mention in two chunks would be mined and counted
// twice; a step that wants the words before a chunk can slice them from the
// text by span.
package chunk

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// DefaultTokens is the size limit of a chunk when the options name none: a
// few paragraphs, which keeps one subject to a chunk.
const DefaultTokens = 256

// A Counter measures text in the tokens of some vocabulary. Count must not
// depend on anything but the text.
type Counter interface {
	Count(text string) int
}

// Options steer Split.
type Options struct {
	Tokens  int     // most tokens in a chunk; DefaultTokens when 0 or less
	Counter Counter // measures the tokens; required
}

// Split cuts t into chunks of document doc, in reading order. Together they
// cover every character that is not white space. None holds more than
// o.Tokens tokens, unless a single character does.
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

// measure counts the tokens of stretches of one text, each stretch once:
// counting is most of the work.
type measure struct {
	text    []rune
	counter Counter
	limit   int
	counted map[domain.Span]int
}

// tokens is the number of tokens from start up to end.
func (m measure) tokens(start, end int) int {
	at := domain.Span{Start: start, End: end}
	n, ok := m.counted[at]
	if !ok {
		n = m.counter.Count(string(m.text[start:end]))
		m.counted[at] = n
	}
	return n
}

// piece is a stretch of text that is kept whole if at all possible, without
// white space at its ends.
type piece struct {
	start, end int
	tokens     int
	level      int // of the heading that it is; 0 for body text
}

// piece measures the stretch from start to end, less the white space at its
// ends. It reports false when nothing else is there.
func (m measure) piece(start, end int) (piece, bool) {
	start, end = trim(m.text, start, end)
	if start == end {
		return piece{}, false
	}
	return piece{start: start, end: end, tokens: m.tokens(start, end)}, true
}

// isBlank reports whether a line holds white space alone.
func isBlank(line []rune) bool {
	return strings.TrimSpace(string(line)) == ""
}
