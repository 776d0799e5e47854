package prose

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Compounds are words that a text hyphenates within a line, so that they keep the hyphen where a line ends at it.
type Compounds map[string]bool

var compound = regexp.MustCompile(`\pL+[-\x{2010}]\pL+`)

// Add adds the hyphenated words of a line.
func (c Compounds) Add(line string) {
	for _, word := range compound.FindAllString(line, -1) {
		c[strings.Replace(word, "\u2010", "-", 1)] = true
	}
}

// maxBroken is the maximum number of bytes of a word that is looked at.
const maxBroken = 256

// conjunctions follow a hyphen that stands for a part of the next word: "pre- and postwar".
var conjunctions = Set("and or to und oder bzw sowie et ou y o e en of och og eller i")

// Mend returns the number of bytes of a line that stand directly before the next line, and the sign between them: a hyphen, or
// nothing if the line ends within a word that is written without one. It returns false if the line does not end with a hyphen
// that joins it to the next.
func (c Compounds) Mend(line, next string) (end int, sign string, ok bool) {
	end = len(strings.TrimRight(line, "-\u2010\u00AD"))
	first, _ := utf8.DecodeRuneInString(next)
	last, _ := utf8.DecodeLastRuneInString(line[:end])
	if utf8.RuneCountInString(line[end:]) != 1 || !isWordRune(first) || !isWordRune(last) {
		return 0, "", false
	}
	word := line[max(0, end-maxBroken):end]
	word = word[strings.LastIndexAny(word, " \n")+1:]
	rest, _, _ := strings.Cut(next[:min(len(next), maxBroken)], " ")
	if !unicode.IsLower(first) || !unicode.IsLower(last) {
		return end, "-", true
	}
	word = word[strings.LastIndexAny(word, "-\u2010")+1:]
	word = word[strings.LastIndexFunc(word, func(r rune) bool { return !isWordRune(r) })+1:]
	if i := strings.IndexFunc(rest, func(r rune) bool { return !isWordRune(r) }); i >= 0 {
		rest = rest[:i]
	}
	switch {
	case c[word+"-"+rest]:
		return end, "-", true
	case IsCommon(word + rest):
		return end, "", true
	case conjunctions[rest]:
		return 0, "", false
	case IsCommon(word) && IsCommon(rest):
		return end, "-", true
	}
	return end, "", true
}
