package extract

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// passage is a chunk's text, prepared for finding names. Its spans are relative
// to the text.
type passage struct {
	text      string
	runes     []rune
	pieces    []piece
	sentences []domain.Span
}

// piece is a word of a text or name in the form compared: without case, accents
// and punctuation.
type piece struct {
	key  string
	word prose.Token
}

func newPassage(text string) passage {
	return passage{text: text, runes: []rune(text), pieces: pieces(text), sentences: prose.Sentences(text)}
}

// passagesOf prepares the texts of chunks.
func passagesOf(chunks []domain.Chunk) []passage {
	return lists.Map(chunks, func(c domain.Chunk) passage { return newPassage(c.Text) })
}

// pieces splits a text or name.
func pieces(text string) []piece {
	words := prose.Words(text)
	out := make([]piece, 0, len(words))
	for _, w := range words {
		for key := range strings.FieldsSeq(prose.Key(w.Text)) {
			out = append(out, piece{key, w})
		}
	}
	return out
}

// occurrences returns the spans in which the pieces of a name follow each
// other, without overlap.
func (p passage) occurrences(name []piece) []domain.Span {
	if len(name) == 0 {
		return nil
	}
	return p.windows(len(name), func(at int) bool { return p.matches(at, name) })
}

// windows returns the spans of length pieces that fit, without overlap.
func (p passage) windows(length int, fits func(at int) bool) []domain.Span {
	var spans []domain.Span
	for i := 0; i+length <= len(p.pieces); i++ {
		if !fits(i) {
			continue
		}
		if s := p.span(i, i+length); len(spans) == 0 || spans[len(spans)-1].End <= s.Start {
			spans = append(spans, s)
		}
	}
	return spans
}

func (p passage) matches(at int, name []piece) bool {
	for i, n := range name {
		if p.pieces[at+i].key != n.key {
			return false
		}
	}
	return true
}

// span covers the pieces from first up to last, without a trailing 's.
func (p passage) span(first, last int) domain.Span {
	s := domain.Span{Start: p.pieces[first].word.Span.Start, End: p.pieces[last-1].word.Span.End}
	for _, ending := range []string{"'s", "’s"} {
		text := string(p.runes[s.Start:s.End])
		if cut, ok := strings.CutSuffix(text, ending); ok && prose.Key(cut) == prose.Key(text) {
			s.End -= 2
		}
	}
	return s
}

func (p passage) slice(s domain.Span) string { return string(p.runes[s.Start:s.End]) }

// sentencesWith returns the sentences that name both ends, or those of the two
// nearest mentions when no sentence names both.
func (p passage) sentencesWith(source, target []domain.Span) []domain.Span {
	both := lists.Filter(p.sentences, func(s domain.Span) bool { return anyWithin(s, source) && anyWithin(s, target) })
	if len(both) > 0 {
		return both
	}
	a, b := nearest(source, target)
	for _, s := range p.sentences {
		if s.Overlaps(a) || s.Overlaps(b) {
			both = append(both, s)
		}
	}
	return both
}

func anyWithin(s domain.Span, spans []domain.Span) bool {
	return slices.ContainsFunc(spans, s.Overlaps)
}

// nearest returns the span of each list that is closest to one of the other.
func nearest(as, bs []domain.Span) (a, b domain.Span) {
	least := -1
	for _, x := range as {
		for _, y := range bs {
			gap := max(x.Start, y.Start) - min(x.End, y.End)
			if least < 0 || gap < least {
				a, b, least = x, y, max(gap, 0)
			}
		}
	}
	return a, b
}
