package parse

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/parse/script"
)

// tidy cleans s and collapses the spaces in each line.
func tidy(s string) string {
	s = clean(s, " ")
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitAfterSeq(s, "\n") {
		for i, word := range strings.Fields(line) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// tidyLine cleans s and joins its lines.
func tidyLine(s string) string {
	return strings.Join(strings.Fields(clean(s, " ")), " ")
}

// tidyPreformatted cleans s but keeps its spaces.
func tidyPreformatted(s string) string {
	return clean(s, "    ")
}

func ligatures() *strings.Replacer {
	return strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")
}

// clean normalises s to form C, spells out ligatures, unifies line breaks and spaces, replaces
// tabs, and drops control and invisible characters.
func clean(s, tab string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	if tab != " " {
		s = strings.ReplaceAll(s, "\t", tab)
	}
	if strings.Contains(s, "\xEF\xAC") { // how all ligatures begin
		s = ligatures().Replace(s)
	}
	return norm.NFC.String(strings.Map(cleanRune, s))
}

// cleanRune maps r to its clean form, or to -1 to drop it.
func cleanRune(r rune) rune {
	switch {
	case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
		return '\n'
	case r == '\t' || unicode.Is(unicode.Zs, r), r == 0x2061: // the application of a function
		return ' '
	case r >= 0xF020 && r <= 0xF0FF:
		if symbol, ok := script.Symbol("", r); ok {
			return symbol
		}
	case unicode.IsControl(r), isInvisible(r):
		return -1
	}
	return r
}

// isInvisible reports whether r only pads, breaks or reorders text. The joiners U+200C and U+200D
// do more: emoji and several scripts need them.
func isInvisible(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x200B, r == 0x2060, r == 0xFEFF: // soft hyphen, zero-width spaces
		return true
	case r >= 0x200E && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // direction marks
		return true
	case r >= 0x2062 && r <= 0x2064: // operators in formulas
		return true
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE: // not characters
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF && !unicode.Is(unicode.M, r) // tags
}
