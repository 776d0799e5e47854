package chart

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// label cleans a text of the chart, which may have at most limit code points.
func (v *validator) label(field, text string, limit int) string {
	text = plain(text)
	if n := domain.Runes(text); n > limit {
		v.mistake("The %s %q has %d characters, the most is %d.", field, clip(text), n, limit)
		return ""
	}
	return text
}

// plain joins the lines of text and drops control and formatting characters,
// which would hide or reverse the text beside them.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c', r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

// clip shortens a text that a mistake quotes.
func clip(text string) string { return domain.Cut(plain(text), 40) }

// snakeCase turns "Grouped bar" into "grouped_bar".
func snakeCase(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(plain(text)), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
}

// parenthesized returns a name in parentheses after a space, or "".
func parenthesized(name string) string {
	if name == "" {
		return ""
	}
	return " (" + clip(name) + ")"
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
