package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Evidence holds the possible sources of a chart's numbers. Specifications
// refer to both lists by position, from 1.
type Evidence struct {
	Passages []domain.Passage
	Counts   []GraphCount
}

// GraphCount is a count in the graph.
type GraphCount struct {
	domain.Count
	Value int `json:"value"`
	Among int `json:"among,omitempty"` // total number of counts, of which these are the first
}

// amounts counts the numbers of the passages that are no dates.
func (e Evidence) amounts() int {
	n := 0
	for _, p := range e.Passages {
		for _, q := range quantities(p.Text) {
			if !q.date {
				n++
			}
		}
	}
	return n
}

// A source is a passage with its parsed numbers.
type source struct {
	domain.Passage
	number     int // in a specification
	quantities []quantity
	sentences  []domain.Span    // in the passage's text
	scales     map[float64]bool // that the passage names
}

func (e Evidence) sources() []source {
	out := make([]source, len(e.Passages))
	for i, p := range e.Passages {
		s := source{Passage: p, number: i + 1, quantities: quantities(p.Text), sentences: prose.Sentences(p.Text), scales: map[float64]bool{1: true}}
		for _, word := range strings.FieldsFunc(strings.ToLower(p.Text), func(r rune) bool { return strings.ContainsRune(" \n\t|()[].,;:/", r) }) {
			if factor, ok := scales[word]; ok {
				s.scales[factor] = true
			}
		}
		out[i] = s
	}
	return out
}

// states reports whether a quantity is value in units of scale. A bare number
// may be meant in the scale if the passage names it elsewhere, as in the head
// of a table.
func (s source) states(q quantity, value, scale float64) bool {
	return slices.ContainsFunc(q.values, func(v float64) bool {
		return equal(v, value*scale) || q.scale == 1 && s.scales[scale] && equal(v, value)
	})
}

// equal ignores the rounding of binary fractions.
func equal(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// sentence returns the span of the sentence that holds a quantity, in the
// document's text.
func (s source) sentence(q quantity) domain.Span {
	for _, span := range s.sentences {
		if span.Start <= q.span.Start && q.span.Start < span.End {
			return domain.Span{Start: span.Start, End: max(span.End, q.span.End)}.Shift(s.Span.Start)
		}
	}
	return q.span.Shift(s.Span.Start)
}

// text returns the part of the passage at a span of the document.
func (s source) text(span domain.Span) string { return span.Shift(-s.Span.Start).Slice(s.Text) }

// contains reports whether the passage, its title or its headings contain
// digits that are not part of a longer number.
func (s source) contains(digits string) bool {
	text := strings.Join(append([]string{s.Text, s.Title, s.Name}, s.Headings...), "\n")
	for {
		before, after, found := strings.Cut(text, digits)
		if !found {
			return false
		}
		if !endsInDigit(before) && (after == "" || after[0] < '0' || after[0] > '9') {
			return true
		}
		text = after
	}
}
