package domain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// MarshalText implements encoding.TextMarshaler.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Day) UnmarshalText(text []byte) (err error) {
	*d = Day{}
	if len(text) > 0 {
		*d, err = ParseDay(string(text))
	}
	return err
}

var dayForm = regexp.MustCompile(`^(-?\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$`)

// ParseDay reads a day as String writes it. The error is Invalid for anything else.
func ParseDay(text string) (Day, error) {
	parts := dayForm.FindStringSubmatch(strings.TrimSpace(text))
	var d Day
	for i, into := range []*int{&d.Year, &d.Month, &d.Day} {
		if parts != nil && parts[i+1] != "" {
			*into, _ = strconv.Atoi(parts[i+1]) // digits, as the pattern requires
		}
	}
	short := len(parts) == 0 || parts[2] != "" && d.Month == 0 || parts[3] != "" && d.Day == 0
	if short || !d.Known() || d.Month > 12 || d.Day > 0 && d.Day > longest[d.Month-1] {
		return Day{}, Errorf(Invalid, "%q is not a date. Write a year, such as 1888, a month, 1888-11, or a day, 1888-11-09.", Cut(text, 40))
	}
	return d, nil
}

// longest has the most days of each month.
var longest = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// On reports whether the calendar has the day.
func (d Day) On() bool {
	return d.Month >= 1 && d.Month <= 12 && d.Day >= 1 && d.Day <= longest[d.Month-1]
}

// AsOf reads the time that somebody asks about: a day, see ParseDay, or the zero Day of an empty text.
func AsOf(text string) (Day, error) {
	var at Day
	err := at.UnmarshalText([]byte(strings.TrimSpace(text)))
	return at, err
}

// First numbers the first day that d may mean. Numbers grow with time.
func (d Day) First() int { return (d.Year*13+d.Month)*32 + d.Day }

// Last numbers the last day that d may mean.
func (d Day) Last() int {
	d.Month = cmp.Or(d.Month, 12)
	d.Day = cmp.Or(d.Day, 31)
	return d.First()
}

// A Period is a time for which a relation holds: from the beginning of From to the end of Until. If From is missing,
// the beginning is unknown; if Until is missing, no end is known. A point in time has both alike: something was true
// then, and need not have ended.
type Period struct {
	From  Day  `json:"from,omitzero"`
	Until Day  `json:"until,omitzero"`
	At    Span `json:"at,omitzero"` // the characters of the document that state it
}

// ValidKey is the key of the property by which a person, or an imported graph, gives a relation its periods. They count
// in place of those of its sentences.
const ValidKey = "valid"

// String returns the period as ParsePeriod reads it: 1890..1902, 1890.., ..1902 or 1921.
func (p Period) String() string {
	if p.point() {
		return p.From.String()
	}
	return p.From.String() + ".." + p.Until.String()
}

func (p Period) point() bool { return p.From == p.Until && p.From.Known() }

// ParsePeriod parses a period. For "..", which stands for no known time, it returns the zero Period.
func ParsePeriod(text string) (p Period, err error) {
	from, until, two := strings.Cut(strings.TrimSpace(text), "..")
	if !two {
		until = from
	}
	if err = p.From.UnmarshalText([]byte(strings.TrimSpace(from))); err == nil {
		err = p.Until.UnmarshalText([]byte(strings.TrimSpace(until)))
	}
	switch {
	case err != nil || !two && from == "":
		return Period{}, Errorf(Invalid, "%q is not a period. Write 1890..1902, 1890.., ..1902-03, 1921-05-03, or .. for no known time.", Cut(text, 40))
	case p.From.Known() && p.Until.Known() && p.From.First() > p.Until.Last():
		return Period{}, Errorf(Invalid, "A period ends after it begins. Write %s..%s.", p.Until, p.From)
	}
	return p, nil
}

// ParsePeriods parses one period, or several separated by spaces. For "..", which stands for no known time, it returns
// none. Errors are those of ParsePeriod.
func ParsePeriods(text string) (all []Period, err error) {
	words := strings.Fields(text)
	if p, err := ParsePeriod(text); err == nil {
		words = []string{p.String()} // it may contain spaces
	} else if len(words) < 2 {
		return nil, err
	}
	for _, word := range words {
		p, err := ParsePeriod(word)
		if err != nil {
			return nil, err
		}
		if p != (Period{}) {
			all = append(all, p)
		}
	}
	return all, nil
}

// Compare orders periods by their beginnings, those without one by their ends, and then by their positions.
func (p Period) Compare(o Period) int {
	return cmp.Or(cmp.Or(p.From, p.Until).First()-cmp.Or(o.From, o.Until).First(), cmp.Or(p.Until, p.From).Last()-cmp.Or(o.Until, o.From).Last(),
		p.At.Start-o.At.Start, p.At.End-o.At.End)
}

// overlaps reports whether both periods may hold on one day. A point lies before all that begins after it.
func (p Period) overlaps(o Period) bool {
	after := func(a, b Period) bool { return a.From.Known() && b.Until.Known() && a.From.First() > b.Until.Last() }
	return !after(p, o) && !after(o, p)
}

// Overlap reports whether one of a and one of b may hold on one day. A relation without a period may hold on any.
func Overlap(a, b []Period) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(p Period) bool { return slices.ContainsFunc(b, p.overlaps) })
}

// Holds reports whether a relation of a type with these periods holds at a time. One without periods always holds, and
// so does any at the zero Day. A point, or an act such as FOUNDED, holds from then on, because no end was stated.
func Holds(kind string, periods []Period, at Day) bool {
	if len(periods) == 0 || !at.Known() {
		return true
	}
	done := Done(kind)
	return slices.ContainsFunc(periods, func(p Period) bool {
		return (!p.From.Known() || p.From.First() <= at.Last()) && (!p.Until.Known() || done || p.point() || p.Until.Last() >= at.First())
	})
}

// DatingHolds reports what Holds does for the periods of a Dating, which it reads only if a time is asked about.
func DatingHolds(kind, dating string, at Day) bool {
	return dating == "" || !at.Known() || Holds(kind, ReadPeriods(dating), at)
}

// done are words of types that tell what was done once, and stays done.
var done = regexp.MustCompile(`^(?:WAS_|WERE_|IS_)?(?:BORN|DIED|BURIED|KILLED|FOUNDED|ESTABLISHED|CREATED|BUILT|DESIGNED|INVENTED|DISCOVERED|WROTE|WRITTEN|PUBLISHED|` +
	`COMPOSED|PAINTED|RECORDED|RELEASED|DIRECTED|PRODUCED|OPENED|WON|RECEIVED|AWARDED|SIGNED|BOUGHT|ACQUIRED|SOLD|DEFEATED|NAMED|MET)(?:_|$)`)

// Done reports whether relations of a type describe a single act.
func Done(kind string) bool { return done.MatchString(kind) }

// datedByHand begins the Dating of a relation whose properties give it its periods.
const datedByHand = "="

// Dating returns the periods of the relation in one line, as ReadPeriods reads them. DatedByHand reports whether a
// person decided about them.
func (r Relation) Dating() string {
	line := WritePeriods(r.Periods())
	for _, p := range r.Properties {
		if _, err := ParsePeriods(p.Value); p.Key == ValidKey && err == nil {
			return strings.TrimSpace(datedByHand + " " + line)
		}
	}
	return line
}

// DatedByHand reports whether a person, or an imported graph, gave the relation of a Dating its periods.
func DatedByHand(dating string) bool { return strings.HasPrefix(dating, datedByHand) }

// Periods returns the distinct periods of the relation in order: those that its properties give it, or else those of
// its sentences.
func (r Relation) Periods() []Period {
	var all []Period
	given := false
	for _, p := range r.Properties {
		periods, err := ParsePeriods(p.Value)
		if p.Key != ValidKey || err != nil {
			continue
		}
		given = true
		all = append(all, periods...)
	}
	if !given {
		for _, e := range r.Evidence {
			for _, p := range e.Periods {
				all = append(all, Period{From: p.From, Until: p.Until})
			}
		}
	}
	slices.SortFunc(all, Period.Compare)
	return slices.Compact(all)
}

// WritePeriods returns periods in one line, as ReadPeriods reads them, without their characters.
func WritePeriods(periods []Period) string {
	words := make([]string, len(periods))
	for i, p := range periods {
		words[i] = p.String()
	}
	return strings.Join(words, " ")
}

// ReadPeriods parses the output of WritePeriods. It skips words that are not periods.
func ReadPeriods(line string) []Period {
	var all []Period
	for word := range strings.FieldsSeq(line) {
		if p, err := ParsePeriod(word); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// Begins returns when the relation began, the zero Day if that is not known.
func (r Relation) Begins() Day {
	periods := r.Periods()
	if len(periods) == 0 {
		return Day{}
	}
	return periods[0].From
}
