// Package dates reads the dates in sentences: days, months, years, decades and centuries, alone or as
// ranges, in English, German, French and Spanish. A number is read as a year only if the words around
// it indicate one; dates relative to the day of writing, such as "yesterday", are not read.
package dates

import (
	"cmp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// A Time is what a phrase says of a time: from the beginning of From to the end of Until. Without From it has no
// beginning, as in "until 1901", and without Until no end, as in "since 1888".
type Time struct {
	Span        domain.Span // of the phrase
	From, Until domain.Day
	About       bool // the date is approximate: about 1888
	Range       bool // the phrase covers a range of dates
}

// Compare orders times by when they begin, or end if they have no beginning, and then the shorter first.
func Compare(a, b Time) int {
	return cmp.Or(cmp.Or(a.From, a.Until).First()-cmp.Or(b.From, b.Until).First(), cmp.Or(a.Until, a.From).Last()-cmp.Or(b.Until, b.From).Last())
}

// Meets reports whether t has a part between two days, either of which may be the zero Day.
func (t Time) Meets(from, until domain.Day) bool {
	return (!from.Known() || !t.Until.Known() || t.Until.Last() >= from.First()) &&
		(!until.Known() || !t.From.Known() || t.From.First() <= until.Last())
}

// Parse reads a day as String writes it. The error is Invalid for anything else.
func Parse(text string) (domain.Day, error) {
	parts := tokens(strings.TrimSpace(text))
	s := scanner{tokens: parts}
	if len(parts) == 1 && s.isYear(0) {
		return domain.Day{Year: s.at(0).number}, nil
	}
	if len(parts) == 3 && s.isYear(0) && s.at(1).text == "-" && isMonth(s.at(2).number) {
		return domain.Day{Year: s.at(0).number, Month: s.at(2).number}, nil
	}
	if p, n := s.numeric(0); n > 0 && n == len(parts) {
		return p.From, nil
	}
	return domain.Day{}, domain.Errorf(domain.Invalid, "%q is not a date. Write a year, such as 1888, a month, 1888-11, or a day, 1888-11-09.", domain.Cut(text, 40))
}

// Read returns the times that a sentence names, in their order.
func Read(sentence string) []Time {
	s := scanner{tokens: tokens(sentence)}
	var found []Time
	for i := 0; i < len(s.tokens); {
		t, n := s.phrase(i)
		if n == 0 {
			i++
			continue
		}
		t.Span = domain.Span{Start: s.at(i).span.Start, End: s.at(i + n - 1).span.End}
		found = append(found, t)
		i += n
		s.ended = i
	}
	return found
}

// Periods returns the times of a sentence for which something may have held, in their order. It leaves out what is said
// roughly: about a year, a decade, a time before or after another.
func Periods(sentence string) []domain.Period {
	var found []domain.Period
	for _, t := range Read(sentence) {
		switch {
		case t.About || t.Span.Empty():
			continue
		case !t.From.Known():
			if !endWords[wordBefore(sentence, t.Span)] {
				continue
			}
		case !t.Until.Known():
			if !beginWords[wordBefore(sentence, t.Span)] {
				continue
			}
		case t.From != t.Until && !t.Range:
			continue
		}
		found = append(found, domain.Period{From: t.From, Until: t.Until, At: t.Span})
	}
	return found
}

// wordBefore returns the word before a span, in small letters.
func wordBefore(sentence string, at domain.Span) string {
	words := strings.Fields(domain.Span{End: at.Start}.Slice(sentence))
	if len(words) == 0 {
		return ""
	}
	return strings.Trim(strings.ToLower(words[len(words)-1]), "(,;\"'’")
}
