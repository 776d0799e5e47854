package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose/dates"
)

// The types of a property's value.
const (
	Text   = "text"
	Number = "number"
	Year   = "year"
	Date   = "date"
	YesNo  = "yes/no"
)

// ValueTypes lists the types of a property's value.
func ValueTypes() []string { return []string{Text, Number, Year, Date, YesNo} }

const (
	monthNames = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	yearDigits = `[-−]?\d{1,4}(?: ?(?:bce?|ce|ad))?`
	dayDigits  = `\d{1,2}(?:st|nd|rd|th)?`
)

var (
	numberForm = regexp.MustCompile(`^[-+−]?\d[\d  ,.]*%?$`)
	yearForm   = regexp.MustCompile(`^(?i:` + yearDigits + `)$`)
	dateForm   = regexp.MustCompile(`^(?i:` + yearDigits + `|\d{1,4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}` +
		`|(?:` + dayDigits + ` )?(?:of )?` + monthNames + `,?(?: ` + yearDigits + `)?|` + monthNames + ` ` + dayDigits + `,?(?: ` + yearDigits + `)?)$`)
)

// fitsType reports whether a value is of a type; "" is text.
func fitsType(value, kind string) bool {
	value = strings.TrimSpace(value)
	switch kind {
	case Number:
		return numberForm.MatchString(value)
	case Year:
		return yearForm.MatchString(value)
	case Date:
		return dateForm.MatchString(value)
	case YesNo:
		return slices.Contains([]string{"yes", "no", "true", "false"}, strings.ToLower(value))
	}
	return true
}

// Keys returns the properties that the schema declares for a label or a type.
func (s Schema) Keys(of string) []string {
	var keys []string
	for _, r := range s.rules(of) {
		keys = append(keys, r.Key)
	}
	return keys
}

// CheckValue returns an error of kind Invalid for a value that is not of the
// type which the schema declares for a property of a label or a type.
func (s Schema) CheckValue(of, key, value string) error {
	for _, r := range s.rules(of) {
		if strings.EqualFold(r.Key, key) && !fitsType(value, r.Type) {
			return domain.Errorf(domain.Invalid, "“%s” is not of the type %s, which the schema requires of %s.", value, r.Type, r.Key)
		}
	}
	return nil
}

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
