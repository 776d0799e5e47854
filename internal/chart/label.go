package chart

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// label is a text of the chart in one line of plain characters. One that is
// too long is a mistake.
func (d *draft) label(what, text string, most int) string {
	text = plain(text)
	if n := domain.Runes(text); n > most {
		d.mistake("The %s %q has %d characters, the most is %d.", what, clip(text), n, most)
		return ""
	}
	return text
}

// plain is text in one line, without control and formatting characters, which
// would hide or turn round what stands beside them.
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

// clip is a text as a mistake quotes it.
func clip(text string) string {
	const most = 40
	return domain.Cut(plain(text), most)
}

// key is a name as it is looked up: "Grouped bar" is "grouped_bar".
func key(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(plain(text)), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
}

func joined[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

// of names a series or a category behind what is said of it.
func of(name string) string {
	if name == "" {
		return ""
	}
	return " (" + clip(name) + ")"
}

func written(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
