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
		if isStopWord(w) {
			continue
		}
		if s := stem(w); s != "" { // else it has only diacritics
			stems = append(stems, s)
		}
	}
	return stems
}

// A Set is the words of a question that are told apart when they are looked for in
// texts. It stems each word of the texts once, and is not safe for concurrent use.
type Set struct {
	bits map[string]int // by stem
	seen map[string]int // by word of a text: its bit, or -1

	first [1 << 8]bool // bytes that stems begin with; stemming keeps the first letter
}

// MaxSet is how many words a Set tells apart, the first of the text.
const MaxSet = 64

// NewSet returns the words of a text.
func NewSet(text string) *Set {
	s := &Set{bits: map[string]int{}, seen: map[string]int{}}
	for _, term := range Stems(text) {
		if _, ok := s.bits[term]; !ok && len(s.bits) < MaxSet {
			s.bits[term] = len(s.bits)
			s.first[term[0]] = true
		}
	}
	return s
}

// Len returns how many words are told apart.
func (s *Set) Len() int { return len(s.bits) }

// In returns which of the words a text holds: a bit for each, in their order.
func (s *Set) In(text string) (held uint64) {
	for w := range split(text) {
		if w[0] < unicode.MaxASCII && !s.first[w[0]] {
			continue
		}
		bit, ok := s.seen[w]
		if !ok {
			bit = s.bit(w)
			s.seen[w] = bit
		}
		if bit >= 0 {
			held |= 1 << bit
		}
	}
	return held
}

func (s *Set) bit(word string) int {
	if !isStopWord(word) {
		if bit, ok := s.bits[stem(word)]; ok {
			return bit
		}
	}
	return -1
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
