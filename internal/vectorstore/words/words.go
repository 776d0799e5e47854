// Package words splits, folds and stems the words of a text. Every vector store uses it, so that all
// find the same points.
package words

import (
	"slices"
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
		if isStopWord(w) {
			continue
		}
		if s := stem(w); s != "" { // if empty, it has only diacritics
			stems = append(stems, s)
		}
	}
	return stems
}

// Length returns how many words a text has, stop words included.
func Length(text string) (n int) {
	for range split(text) {
		n++
	}
	return n
}

// A Vocabulary numbers the words of texts by their stems, so that which words a text
// holds is a short list. It stems each word once, and is not safe for concurrent use.
type Vocabulary struct {
	stems map[string]int32 // the number of each, in order of appearance
	seen  map[string]int32 // by word of a text: the number of its stem, or none
}

// none stands for the number of a word that has no stem, or is a stop word.
const none = -1

// NewVocabulary returns a Vocabulary without words.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{stems: map[string]int32{}, seen: map[string]int32{}}
}

// Len returns how many words were seen.
func (v *Vocabulary) Len() int { return len(v.seen) }

// Numbers returns the numbers of the words of a text, each once, in their order. Equal
// stems have equal numbers.
func (v *Vocabulary) Numbers(text string) []int32 {
	var numbers []int32
	for w := range split(text) {
		n, ok := v.seen[w]
		if !ok {
			n = v.number(w)
			v.seen[strings.Clone(w)] = n // cloned, because it is part of the text
		}
		if n != none && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func (v *Vocabulary) number(word string) int32 {
	if isStopWord(word) {
		return none
	}
	s := stem(word)
	if s == "" { // it has only diacritics
		return none
	}
	n, ok := v.stems[s]
	if !ok {
		n = int32(len(v.stems))
		v.stems[strings.Clone(s)] = n
	}
	return n
}

// split yields the words of text in lower case.
func split(text string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(text), isSeparator)
}

func isSeparator(r rune) bool {
	if r < unicode.MaxASCII {
		return ('a' > r || r > 'z') && ('0' > r || r > '9') && ('A' > r || r > 'Z')
	}
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
