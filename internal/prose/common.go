package prose

import (
	_ "embed"
	"strings"
	"unicode"
)

// commonStems are the stems of words that English texts write in lower case much more
// often than with a capital inside a sentence. First names and places are not among
// them. They were counted in manuals, encyclopedia articles and novels.
//
//go:embed common.txt
var commonStems string

var common = Set(commonStems)

// IsCommon reports whether an English word, in any case, rarely is a name or a part of
// one: its capital in a heading or a list says nothing.
func IsCommon(word string) bool { return stopWords[strings.ToLower(word)] || common[Stem(word)] }

// IsFunctionWord reports whether a word is one of the small words of a language in
// Latin letters, in any case.
func IsFunctionWord(word string) bool {
	lower := strings.ToLower(word)
	return stopWords[lower] || len(languagesOf[lower]) > 0
}

// IsCode reports whether a token is spelled as names of programs and their parts are:
// with a capital inside, with digits among letters, as an acronym, or as a sign that
// prose does without.
func IsCode(t Token) bool {
	if !t.Word {
		return strings.ContainsAny(t.Text, "{}<>=|\\`#$@~^*_+[]")
	}
	lower, digit, letter, before := false, false, false, false
	for _, r := range t.Text {
		switch {
		case unicode.IsDigit(r):
			digit = true
			before = before || letter
		case unicode.IsUpper(r) && lower:
			return !strings.HasPrefix(t.Text, "Mc") && !strings.HasPrefix(t.Text, "Mac") && !strings.ContainsAny(t.Text, "-'’")
		}
		letter = letter || unicode.IsLetter(r)
		lower = unicode.IsLower(r)
	}
	return digit && before || strings.Contains(strings.TrimRight(t.Text, "."), ".") && !isNumber(t.Text) && len(t.Text) > 4 || IsAcronym(t.Text) && !isRoman(t.Text)
}

func isRoman(word string) bool { return strings.Trim(word, "IVXLCDM") == "" }
