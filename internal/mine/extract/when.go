package extract

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose/dates"
)

// periods adds to known the period that a model gives a relation, with the characters of the sentences that name its
// dates. It adds none with a date that they do not name.
func (p passage) periods(r minedRelation, sentences []domain.Span, known []domain.Period) []domain.Period {
	var found domain.Period
	for i, text := range r.when {
		if text == "" {
			continue
		}
		day, err := dates.Parse(text)
		if err != nil {
			return known
		}
		at := p.naming(day, sentences)
		if at.Empty() {
			return known
		}
		if found.At.Empty() {
			found.At = at
		}
		found.At = domain.Span{Start: min(found.At.Start, at.Start), End: max(found.At.End, at.End)}
		if i == 0 {
			found.From = day
		} else {
			found.Until = day
		}
	}
	backward := found.From.Known() && found.Until.Known() && found.From.First() > found.Until.Last()
	if found.At.Empty() || backward || slices.Contains(known, found) {
		return known
	}
	return append(known, found)
}

// naming returns where sentences name a day as the beginning or the end of a time, or an empty span.
func (p passage) naming(day domain.Day, sentences []domain.Span) domain.Span {
	for _, s := range sentences {
		for _, t := range dates.Read(p.slice(s)) {
			if t.From == day || t.Until == day {
				return t.Span.Shift(s.Start)
			}
		}
	}
	return domain.Span{}
}

// date gives a relation the time in its sentence if no model was asked when it holds, the sentence states no other
// relation, and it names no other time.
func (b *builder) date() {
	stated := map[domain.Span]int{}
	for _, e := range b.edges {
		for _, s := range e.Spans {
			stated[s]++
		}
	}
	for i := range b.edges {
		e := &b.edges[i]
		for _, s := range e.Spans {
			text := b.text.slice(s)
			if found := dates.Periods(text); b.undated[i] && stated[s] == 1 && len(found) == 1 && len(dates.Read(text)) == 1 {
				found[0].At = found[0].At.Shift(s.Start)
				e.Periods = append(e.Periods, found[0])
			}
		}
	}
}
