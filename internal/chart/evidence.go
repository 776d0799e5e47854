package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Evidence is all that the numbers of a chart may come from. Both lists are
// named by position, from 1.
type Evidence struct {
	Passages []domain.Passage
	Counts   []Counted
}

// Counted is a count in the graph.
type Counted struct {
	domain.Count
	Value int `json:"value"`
	Among int `json:"among,omitempty"` // how many counts there are in all, when these are the first of them
}

// numbers reports whether there is any amount to draw.
func (e Evidence) numbers() bool {
	return len(e.Counts) > 0 || slices.ContainsFunc(e.Passages, func(p domain.Passage) bool {
		return slices.ContainsFunc(quantities(p.Text), func(q quantity) bool { return !q.date })
	})
}

// source is a passage whose numbers have been read.
type source struct {
	domain.Passage
	number     int // by which a specification names it
	quantities []quantity
	sentences  []domain.Span // in the passage's text
	scales     map[float64]bool
}

// sources reads the numbers of all passages.
func (e Evidence) sources() []source {
	out := make([]source, len(e.Passages))
	for i, p := range e.Passages {
		s := source{Passage: p, number: i + 1, quantities: quantities(p.Text), sentences: prose.Sentences(p.Text), scales: map[float64]bool{1: true}}
		for _, word := range strings.FieldsFunc(strings.ToLower(p.Text), func(r rune) bool { return strings.ContainsRune(" \n\t|()[].,;:/", r) }) {
			if by, ok := scales[word]; ok {
				s.scales[by] = true
			}
		}
		out[i] = s
	}
	return out
}

// holds reports whether a quantity says a value that a chart gives in a unit
// of a scale. A bare number may be meant in the scale too, where the passage
// names it elsewhere: a table does in its head.
func (s source) holds(q quantity, value, scale float64) bool {
	return slices.ContainsFunc(q.values, func(v float64) bool {
		return same(v, value*scale) || q.scale == 1 && s.scales[scale] && same(v, value)
	})
}

// same reports whether two numbers are equal but for the rounding of binary
// fractions.
func same(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// sentence is the span of the sentence that holds a quantity, in the
// document's text.
func (s source) sentence(q quantity) domain.Span {
	for _, span := range s.sentences {
		if span.Start <= q.span.Start && q.span.Start < span.End {
			return domain.Span{Start: span.Start, End: max(span.End, q.span.End)}.Shift(s.Span.Start)
		}
	}
	return q.span.Shift(s.Span.Start)
}

// mentions reports whether a text holds digits as a number of their own: what
// a category may be made of.
func (s source) mentions(digits string) bool {
	text := strings.Join(append([]string{s.Text, s.Title, s.Name}, s.Headings...), "\n")
	for from := 0; ; {
		at := strings.Index(text[from:], digits)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(digits)
		if !endsInDigit(text[:at]) && (from == len(text) || text[from] < '0' || text[from] > '9') {
			return true
		}
	}
}
