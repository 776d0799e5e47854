// Package words splits, folds and stems the words of a text. Every vector store
// uses it, so that they find the same.
package words

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/porter"
	"golang.org/x/text/unicode/norm"
)

// Content returns the distinct words of a text in order, in lower case and without
// stop words.
func Content(text string) []string {
	seen := map[string]bool{}
	var words []string
	for w := range split(text) {
		if !seen[w] && !isStopWord(w) {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// Stems returns the stems of a text's words in order, with repetitions: without
// stop words, case and diacritics, by Porter's algorithm. The tokeniser "porter
// unicode61 remove_diacritics 2" of SQLite's full-text search gives the same.
func Stems(text string) []string {
	var stems []string
	for w := range split(text) {
		if !isStopWord(w) {
			stems = append(stems, stem(w))
		}
	}
	return stems
}

// split yields the words of text in lower case.
func split(text string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(text), isSeparator)
}

func isSeparator(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// The lengths in bytes of words that are stemmed, as in SQLite.
const shortest, longest = 3, 64

func stem(word string) string {
	word = fold(word)
	if len(word) < shortest || len(word) > longest {
		return word
	}
	env := snowballstem.NewEnv(word)
	porter.Stem(env)
	return env.Current()
}

// fold removes the diacritics of a word.
func fold(word string) string {
	plain := true
	for _, r := range word {
		plain = plain && r < unicode.MaxASCII
	}
	if plain {
		return word
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(word)))
}
