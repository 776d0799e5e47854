package extract

import (
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// Label writes a label in PascalCase: "research institute" becomes
// "ResearchInstitute". It keeps letters of any script. A label without a letter
// becomes domain.UnknownLabel.
func Label(raw string) string {
	var b strings.Builder
	parts := words(raw)
	for _, word := range parts {
		runes := []rune(word)
		if strings.ToUpper(raw) == raw && (len(parts) > 1 || len(runes) > 3) { // a single short word is an acronym
			runes = []rune(strings.ToLower(word))
		}
		b.WriteRune(unicode.ToUpper(runes[0]))
		b.WriteString(string(runes[1:]))
	}
	label := b.String()
	if !strings.ContainsFunc(label, unicode.IsLetter) {
		return domain.UnknownLabel
	}
	return label
}

// Type writes a relation's type in UPPER_SNAKE: "works for" and "worksFor"
// become "WORKS_FOR". It keeps letters of any script. A type without a letter
// becomes "RELATED_TO".
func Type(raw string) string {
	kind := strings.ToUpper(strings.Join(words(raw), "_"))
	if !strings.ContainsFunc(kind, unicode.IsLetter) {
		return "RELATED_TO"
	}
	return kind
}

// words splits a label or type at punctuation and before a capital that follows
// a lower-case letter.
func words(s string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, string(word))
		}
		word = nil
	}
	for _, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if !letter || unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]) {
			flush()
		}
		if letter {
			word = append(word, r)
		}
	}
	flush()
	return out
}
