// Package dates reads the dates that sentences name: days, months, years, decades and centuries, alone or from one to
// another, in English, German, French and Spanish. A number is read as a year only where the words around it say that
// it is one; what depends on the day of writing, such as "yesterday", is not read.
package dates

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// A Day is a day of the calendar, a month if Day is 0, or a year if Month is 0. Years before Christ are negative. The
// zero Day is none.
type Day struct{ Year, Month, Day int }

// Known reports whether d is not the zero Day.
func (d Day) Known() bool { return d.Year != 0 }

// String returns the day as ISO 8601 writes it, as far as it is known: 1888-11-09, 1888-11, 1888 or -0044.
func (d Day) String() string {
	if !d.Known() {
		return ""
	}
	text := fmt.Sprintf("%04d", d.Year)
	if d.Year < 0 {
		text = fmt.Sprintf("%05d", d.Year)
	}
	if d.Month > 0 {
		text += fmt.Sprintf("-%02d", d.Month)
	}
	if d.Day > 0 {
		text += fmt.Sprintf("-%02d", d.Day)
	}
	return text
}

// first and last number the days that d may mean, in order.
func (d Day) first() int { return (d.Year*13+d.Month)*32 + d.Day }

func (d Day) last() int {
	if d.Month == 0 {
		d.Month = 12
	}
	if d.Day == 0 {
		d.Day = 31
	}
	return d.first()
}

// A Time is what a phrase says of a time: from the beginning of From to the end of Until. Without From it has no
// beginning, as in "until 1901", and without Until no end, as in "since 1888".
type Time struct {
	Span        domain.Span // of the phrase
	From, Until Day
	About       bool // the phrase says so: about 1888
}

// Compare orders times by when they begin, or end if they have no beginning, and then the shorter first.
func Compare(a, b Time) int {
	return cmp.Or(cmp.Or(a.From, a.Until).first()-cmp.Or(b.From, b.Until).first(), cmp.Or(a.Until, a.From).last()-cmp.Or(b.Until, b.From).last())
}

// Meets reports whether t has a part between two days, either of which may be the zero Day.
func (t Time) Meets(from, until Day) bool {
	return (!from.Known() || !t.Until.Known() || t.Until.last() >= from.first()) &&
		(!until.Known() || !t.From.Known() || t.From.first() <= until.last())
}

// Parse reads a day as String writes it. The error is Invalid for anything else.
func Parse(text string) (Day, error) {
	parts := tokens(strings.TrimSpace(text))
	s := scanner{tokens: parts}
	if len(parts) == 1 && s.isYear(0) {
		return Day{Year: s.at(0).number}, nil
	}
	if len(parts) == 3 && s.isYear(0) && s.at(1).text == "-" && isMonth(s.at(2).number) {
		return Day{Year: s.at(0).number, Month: s.at(2).number}, nil
	}
	if p, n := s.numeric(0); n > 0 && n == len(parts) {
		return p.From, nil
	}
	return Day{}, domain.Errorf(domain.Invalid, "%q is not a date. Write a year, such as 1888, a month, 1888-11, or a day, 1888-11-09.", domain.Cut(text, 40))
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
