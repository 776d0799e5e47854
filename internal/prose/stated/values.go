package stated

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/dates"
	"github.com/clewhq/clew/internal/prose/numbers"
)

// Values returns the normal form of a field's values stated in words of a language: the first date or number among
// them, the choice, the yes or the no that they begin with, or the words themselves. There are none if the words don't
// fit the field's kind.
func Values(f domain.Field, said, language string) []string {
	said = strings.Trim(domain.OneLine(said), " .")
	if f.Kind == domain.FieldNumber {
		said = append(normal(amounts(said, language)), "")[0]
	}
	values, err := f.Parse(said)
	if err == nil || f.Kind == domain.FieldText || f.Kind == domain.FieldList {
		return values
	}
	switch f.Kind {
	case domain.FieldDate:
		return first(days(said))
	case domain.FieldChoice:
		return first(begun(said, f.Choices))
	case domain.FieldYesNo:
		return first(slices.Concat(same(begun(said, yesWords), "yes"), same(begun(said, noWords), "no")))
	case domain.FieldText, domain.FieldNumber, domain.FieldList:
	}
	return nil
}

// first returns the first of some texts alone.
func first(all []string) []string { return all[:min(len(all), 1)] }

// same returns a text for each of some texts.
func same(all []string, text string) []string { return slices.Repeat([]string{text}, len(all)) }

// Holds reports whether a quotation in a language states values of a field: dates and numbers may have any form, texts
// must match. A choice, a yes or a no may be expressed in other words.
func Holds(f domain.Field, values []string, quote, language string) bool {
	var said []string
	switch f.Kind {
	case domain.FieldChoice, domain.FieldYesNo:
		return len(values) > 0
	case domain.FieldNumber:
		said = normal(numbers.Read(quote, language))
	case domain.FieldDate:
		said = append(days(quote), yearForm.FindAllString(quote, -1)...)
	case domain.FieldText, domain.FieldList:
		quote = " " + prose.Key(quote) + " "
	}
	return len(values) > 0 && !slices.ContainsFunc(values, func(value string) bool {
		if f.Kind == domain.FieldText || f.Kind == domain.FieldList {
			return !strings.Contains(quote, " "+prose.Key(value)+" ")
		}
		return !slices.ContainsFunc(said, func(s string) bool {
			return s == value || f.Kind == domain.FieldDate && strings.HasPrefix(s, value+"-")
		})
	})
}

var yearForm = regexp.MustCompile(`\b\d{4}\b`)

var (
	yesWords = []string{"yes", "ja", "oui", "sí", "si", "true", "x", "✓", "☑", "☒"}
	noWords  = []string{"no", "nein", "non", "false", "☐"}
)

// begun returns the words that a text begins with, the longest first.
func begun(text string, words []string) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
			return true
		}
		next, _ := utf8.DecodeRuneInString(text[len(word):])
		return unicode.IsLetter(next) || unicode.IsDigit(next)
	})
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// days returns the days, months and years that a text names, of a time its beginning and its end.
func days(text string) (all []string) {
	for _, t := range dates.Read(text) {
		if t.From.Known() && t.Until.Known() && t.From != t.Until && !t.Range {
			continue // a decade, a century
		}
		for _, day := range []domain.Day{t.From, t.Until} {
			if day.Year > 0 && !slices.Contains(all, day.String()) {
				all = append(all, day.String())
			}
		}
	}
	return all
}

// normal returns the values of numbers in their normal form. Of numbers that are parts of another, as in 12 500, the whole counts.
func normal(all []numbers.Number) (values []string) {
	end := -1
	for _, n := range all {
		if n.Span.Start >= end {
			values, end = append(values, strconv.FormatFloat(n.Value(), 'f', -1, 64)), n.Span.End
		}
	}
	return values
}

// amounts returns the numbers of a text in a language that are part of no date and are not joined to others.
func amounts(text, language string) []numbers.Number {
	runes := []rune(text)
	return slices.DeleteFunc(numbers.Read(text, language), func(n numbers.Number) bool {
		before, after := runes[max(0, n.Span.Start-2):n.Span.Start], runes[n.Span.End:min(len(runes), n.Span.End+2)]
		return n.Date || joined.MatchString(string(before)+"|"+string(after))
	})
}

// joined matches what is around a number that is joined to another, as in 10-20, 3/4 and 2:1.
var joined = regexp.MustCompile(`\d[-–:/]\||\|[-–:/]\d`)
