package summarize

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

type termSet map[string]bool

func termsOf(text string) termSet {
	set := termSet{}
	for _, t := range prose.Terms(text) {
		set[t] = true
	}
	return set
}

// shared counts the terms that two sets have in common.
func (a termSet) shared(b termSet) int {
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return n
}

// A sourceIndex finds sentences by shared words. It computes their terms on
// first use.
type sourceIndex struct {
	sentences []Sentence
	terms     []termSet
}

// nearest returns the parts, at most four, of the sentences that share most
// words with a text.
func (x *sourceIndex) nearest(text string) []int {
	const maxParts = 4
	if x.terms == nil {
		for _, s := range x.sentences {
			x.terms = append(x.terms, termsOf(s.Text))
		}
	}
	terms := termsOf(text)
	parts, most := []int{}, 0
	for i, s := range x.sentences {
		n := terms.shared(x.terms[i])
		if n == 0 || n < most {
			continue
		}
		if n > most {
			parts, most = []int{}, n
		}
		for _, p := range s.Parts {
			if len(parts) < maxParts && !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// A passage is a sentence of a part with its terms.
type passage struct {
	span  domain.Span // in the document
	terms termSet
}

// passagesOf splits the text of a part that starts at the given offset.
func passagesOf(text string, offset int) []passage {
	var out []passage
	for _, span := range prose.Sentences(text) {
		out = append(out, passage{span.Shift(offset), termsOf(span.Slice(text))})
	}
	return out
}

// supporting returns the span of the passage that shares most words with a
// claim, the shorter of equals; or the whole part if none shares any.
func supporting(claim termSet, passages []passage, whole domain.Span) domain.Span {
	best, most := whole, 0.0
	for _, p := range passages {
		n := claim.shared(p.terms)
		if score := float64(n) + 1/float64(2+len(p.terms)); n > 0 && score > most {
			best, most = p.span, score
		}
	}
	return best
}
