package prose

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Stem is the stem of one English word by the Snowball algorithm, in lower
// case without diacritics: "Bridges" and "bridge" have the same. Words of
// other languages come back folded.
func Stem(word string) string {
	word = fold(word)
	if len(word) < 3 || !isPlain(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// Terms are the stems of the words of text that say what it is about, in order
// and with repetition: stop words are left out.
func Terms(text string) []string {
	var terms []string
	for _, w := range Words(text) {
		if plain := strings.TrimSuffix(fold(w.Text), "'s"); !IsStopWord(plain) {
			terms = append(terms, Stem(plain))
		}
	}
	return terms
}

// IsStopWord reports whether a word, in whatever case, is one of those that
// every text has.
func IsStopWord(word string) bool { return stopWords[strings.ToLower(word)] }

// IsCapitalised reports whether a word begins with a capital letter.
func IsCapitalised(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) || unicode.IsTitle(r)
	}
	return false
}

// set makes a set of the words of a list.
func set(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}
