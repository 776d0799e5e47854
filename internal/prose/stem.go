package prose

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Stem returns the lower-case Snowball stem of an English word, without
// diacritics: "Bridges" and "bridge" have the same stem. Words of other
// languages are merely folded.
func Stem(word string) string {
	word = fold(word)
	if len(word) < 3 || !isPlain(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// Terms returns the stems of the words in text except stop words, in order and
// with repetition.
func Terms(text string) []string {
	var terms []string
	for _, w := range Words(text) {
		if plain := strings.TrimSuffix(fold(w.Text), "'s"); !IsStopWord(plain) {
			terms = append(terms, Stem(plain))
		}
	}
	return terms
}

// IsStopWord reports whether a word is a stop word in any case. WHO, US and IT are
// none: written so they are names.
func IsStopWord(word string) bool { return stopWords[strings.ToLower(word)] && !smallAcronyms[word] }

// IsSmallWord reports whether a word is a function word, or asks, in any language that
// texts are told apart by.
func IsSmallWord(word string) bool {
	lower := strings.ToLower(word)
	return IsStopWord(word) || (len(languagesOf[lower]) > 0 || askers[lower]) && !smallAcronyms[word] && !alsoEnglish[lower]
}

// IsAcronym reports whether a word is two to six capitals.
func IsAcronym(word string) bool {
	return len(word) >= 2 && len(word) <= 6 && !strings.ContainsFunc(word, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// IsCapitalised reports whether a word starts with a capital letter.
func IsCapitalised(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) || unicode.IsTitle(r)
	}
	return false
}
