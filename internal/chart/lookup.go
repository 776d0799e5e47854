package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// A match is a number that was found in a passage.
type match struct {
	source   source
	quantity quantity
	value    float64 // in the unit of the chart
}

func (m match) unit() string {
	if m.quantity.percent {
		return "%"
	}
	return m.quantity.currency
}

// find looks up a number. Of several matches it returns the one whose sentence
// shares most words with the request.
func (v *validator) find(sources []source, claimed quantity, text, context string, dates bool) (match, bool) {
	terms := prose.Terms(context)
	scale := scaleOf(v.chart.Unit)
	if dates {
		scale = 1
	}
	var best match
	most := -1
	for _, s := range sources {
		for _, q := range s.quantities {
			value, ok := s.match(q, claimed, text, scale)
			if !ok || q.date && !dates {
				continue
			}
			if n := sharedTerms(terms, s.text(s.sentence(q))); n > most {
				best, most = match{s, q, value}, n
			}
		}
	}
	return best, most >= 0
}

// match returns the value of a quantity, in the unit of the chart, if it is
// what a specification claims. Where digits are ambiguous, the passage's own
// reading wins.
func (s source) match(q, claimed quantity, text string, scale float64) (float64, bool) {
	if claimed.percent && !q.percent || claimed.currency != "" && q.currency != "" && claimed.currency != q.currency {
		return 0, false
	}
	if claimed.scale == 1 && strings.TrimSpace(text) == q.span.Slice(s.Text) && q.scale == 1 && (scale == 1 || s.scales[scale]) {
		return q.values[0], true
	}
	for _, value := range claimed.values {
		if claimed.scale != 1 { // "3.4 million"
			value /= scale
		}
		if s.states(q, value, scale) {
			return value, true
		}
	}
	return 0, false
}

func sharedTerms(terms []string, sentence string) int {
	has := prose.Terms(sentence)
	n := 0
	for _, t := range terms {
		if slices.Contains(has, t) {
			n++
		}
	}
	return n
}

// explainMissing explains why a number was not found.
func (v *validator) explainMissing(sources []source, text string, claimed quantity) string {
	where := "the passages"
	if len(sources) == 1 {
		where = fmt.Sprintf("passage %d", sources[0].number)
	}
	if _, ok := v.find(sources, claimed, text, "", true); ok {
		return fmt.Sprintf("%s is a date in %s, and no amount.", clip(text), where)
	}
	const maxListed = 12
	var amounts []string
	for _, s := range sources {
		for _, q := range s.quantities {
			if q.scale != 1 && slices.ContainsFunc(claimed.values, func(v float64) bool { return equal(v, q.values[0]/q.scale) }) {
				return fmt.Sprintf("%s stands in %s with a scale: write the value out, or name the scale in the unit.", clip(text), where)
			}
			if digits := q.span.Slice(s.Text); !q.date && len(amounts) < maxListed && !slices.Contains(amounts, digits) {
				amounts = append(amounts, digits)
			}
		}
	}
	if len(amounts) == 0 {
		return fmt.Sprintf("%s stands nowhere in %s, which holds no amounts.", clip(text), where)
	}
	return fmt.Sprintf("%s stands nowhere in %s. There are %s.", clip(text), where, strings.Join(amounts, "; "))
}
