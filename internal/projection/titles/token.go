package titles

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text with the gap before it.
type token struct {
	word       string // its first letter as written, the others in lower case
	gap        string // punctuation and white space after the previous word
	start, end int    // code points
}

// label returns the token's label in the tree. The gap between two words
// counts: "New York" is not found in "is new. York".
func (t token) label(first bool) string {
	if first {
		return t.word
	}
	return t.gap + t.word
}

// capitalised reports whether the word begins with a capital letter.
func (t token) capitalised() bool {
	r, _ := utf8.DecodeRuneInString(t.word)
	return unicode.IsUpper(r)
}

// tokenize splits a text into runs of letters, marks and digits.
func tokenize(text string) []token {
	words := make([]token, 0, len(text)/6+1)
	at, gapFrom, wordFrom, wordStart := 0, 0, -1, 0
	for i, r := range text {
		if isWordRune(r) {
			if wordFrom < 0 {
				wordFrom, wordStart = i, at
			}
		} else if wordFrom >= 0 {
			words = append(words, token{foldWord(text[wordFrom:i]), foldGap(text[gapFrom:wordFrom]), wordStart, at})
			gapFrom, wordFrom = i, -1
		}
		at++
	}
	if wordFrom >= 0 {
		words = append(words, token{foldWord(text[wordFrom:]), foldGap(text[gapFrom:wordFrom]), wordStart, at})
	}
	return words
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// foldWord lowers all letters but the first.
func foldWord(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	rest := w[n:]
	if lower := strings.ToLower(rest); lower != rest {
		return w[:n] + lower
	}
	return w
}

// foldGap collapses white space into one blank and replaces typographic signs
// by plain ones.
func foldGap(gap string) string {
	if gap == " " || gap == "" {
		return gap
	}
	folded := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '’' || r == '‘':
			return '\''
		case r == '–' || r == '—' || r == '‑' || r == '‐':
			return '-'
		}
		return r
	}, gap)
	for strings.Contains(folded, "  ") {
		folded = strings.ReplaceAll(folded, "  ", " ")
	}
	return folded
}
