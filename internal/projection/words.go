package projection

import (
	"hash/fnv"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/ledger"
)

// wordsOf are the words of a text by which titles are found: each that begins
// with a capital letter together with the one behind it, sorted, each once. A
// title that is searched for has such a word, so what matcher.find finds in a
// text has its wordsOfTitle among these, or their First.
func wordsOf(text string) []ledger.Words {
	var all []ledger.Words
	tokens := tokenize(text)
	for i, t := range tokens {
		if t.isName() {
			all = append(all, wordsAt(tokens, i))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// wordsOfTitle are those words of a title that are likely to be the rarest: the
// two longest that follow one another, the first of them with a capital letter,
// or the last word when that has one and is as long. 0 for a title that is not
// searched for.
func wordsOfTitle(form string) ledger.Words {
	if !searchable(form) {
		return 0
	}
	tokens, best, longest := tokenize(form), 0, 0
	for i, t := range tokens {
		length := len(t.word)
		if i+1 < len(tokens) {
			length += len(tokens[i+1].word)
		}
		if t.isName() && length >= longest {
			best, longest = i, length
		}
	}
	return wordsAt(tokens, best)
}

// wordsAt are a token and the one behind it, if there is one.
func wordsAt(tokens []token, i int) ledger.Words {
	words := ledger.Words(uint64(hash(tokens[i].step(true))) << 32)
	if i+1 < len(tokens) {
		words |= ledger.Words(hash(tokens[i+1].step(false)))
	}
	return words
}

// hash is never 0, which stands for no word.
func hash(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return max(h.Sum32(), 1)
}

// isName reports whether the word begins with a capital letter.
func (t token) isName() bool {
	r, _ := utf8.DecodeRuneInString(t.word)
	return unicode.IsUpper(r)
}
