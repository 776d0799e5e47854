package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// Quote returns where a text first contains the letters and digits of a quotation as whole words, ignoring case and the
// spaces and signs between them, or false if it doesn't.
func Quote(text, quotation string) (domain.Span, bool) {
	wanted, _ := letters([]rune(quotation))
	runes := []rune(text)
	all, at := letters(runes)
	for from := 0; wanted != ""; from++ {
		i := strings.Index(all[from:], wanted)
		if i < 0 {
			break
		}
		from += i
		span := domain.Span{Start: at[from], End: at[from+len(wanted)-1] + 1}
		for span.End < len(runes) && unicode.IsMark(runes[span.End]) {
			span.End++
		}
		if !insideWord(runes, span.Start) && !insideWord(runes, span.End) {
			return span, true
		}
	}
	return domain.Span{}, false
}

// letters returns the letters and digits of a text in lower case, and for each of their bytes which code point of the text it is of.
func letters(text []rune) (string, []int) {
	var b []byte
	var at []int
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b = utf8.AppendRune(b, unicode.ToLower(r))
			for len(at) < len(b) {
				at = append(at, i)
			}
		}
	}
	return string(b), at
}

// insideWord reports whether a place in a text is between two characters of the same word.
func insideWord(text []rune, at int) bool {
	spelt := func(i int) bool { return i >= 0 && i < len(text) && isWordRune(text[i]) && !isUnspaced(text[i]) }
	return spelt(at-1) && spelt(at)
}
