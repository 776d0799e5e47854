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
)

// Values returns what words in a language say as values of a field, in their normal form: the first date or number among them, the
// choice, the yes or the no that they begin with, or the words themselves. There are none if they say nothing of the field's kind.
func Values(f domain.Field, said, language string) []string {
	said = strings.Trim(domain.OneLine(said), " .")
	if f.Kind == domain.FieldNumber {
		said = append(numbers(said, language), "")[0]
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

// Holds reports whether a quotation in a language says values of a field: dates and numbers stand in it in any form, texts as they
// are. A choice, a yes or a no may be said in other words.
func Holds(f domain.Field, values []string, quote, language string) bool {
	var said []string
	switch f.Kind {
	case domain.FieldChoice, domain.FieldYesNo:
		return len(values) > 0
	case domain.FieldNumber:
		said = numbers(quote, language)
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

var (
	numeral  = regexp.MustCompile(`[-−]?(?:\d{1,3}(?:[ '’\x{a0}\x{2009}\x{202f}]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*)`)
	inGroups = regexp.MustCompile(`^-?[1-9]\d{0,2}(?:[.,]\d{3})+$`)
	longer   = regexp.MustCompile(`^(?:[-–:/.,]?\d|st\b|nd\b|rd\b|th\b)`) // behind a part of something longer
	scaled   = regexp.MustCompile(`^[ \x{a0}]?(\pL+)`)
)

// scales are words that multiply the number before them.
var scales = map[string]float64{
	"k": 1e3, "thousand": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millón": 1e6,
	"millones": 1e6, "bn": 1e9, "billion": 1e9, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9, "billionen": 1e12,
}

// numbers returns the numbers that a text in a language names, in their normal form.
func numbers(text, language string) (all []string) {
	for _, at := range numeral.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		digits, after := text[at[0]:at[1]], text[at[1]:]
		if unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("/:.,–-", before) && at[0] > 0 || longer.MatchString(after) {
			continue
		}
		n, err := strconv.ParseFloat(plain(digits, language), 64)
		if err != nil {
			continue
		}
		if unit := scaled.FindStringSubmatch(after); unit != nil {
			if by, is := scales[strings.ToLower(unit[1])]; is && (len(unit[1]) > 1 || !strings.HasPrefix(unit[0], " ")) {
				n *= by
			}
		}
		all = append(all, strconv.FormatFloat(n, 'f', -1, 64))
	}
	return all
}

// plain returns digits in a language without marks between thousands, and with a point before decimals.
func plain(digits, language string) string {
	digits = strings.NewReplacer(" ", "", "'", "", "’", "", "\u00a0", "", "\u2009", "", "\u202f", "", "−", "-").Replace(digits)
	points, commas := strings.Count(digits, "."), strings.Count(digits, ",")
	decimal := "."
	switch {
	case points > 0 && commas > 0:
		decimal = string(digits[strings.LastIndexAny(digits, ".,")])
	case points+commas > 1:
		decimal = ""
		if !inGroups.MatchString(digits) {
			return "" // a date, a version
		}
	case commas > 0 && (!inGroups.MatchString(digits) || slices.Contains(commaLanguages, language)):
		decimal = ","
	case points > 0 && inGroups.MatchString(digits) && slices.Contains(commaLanguages, language):
		decimal = ","
	}
	for _, mark := range []string{".", ","} {
		if mark != decimal {
			digits = strings.ReplaceAll(digits, mark, "")
		}
	}
	return strings.Replace(digits, ",", ".", 1)
}

// commaLanguages are the languages that write a comma before decimals.
var commaLanguages = []string{"de", "fr", "es", "it", "nl", "pt"}
