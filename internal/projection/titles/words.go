package titles

import (
	"hash/fnv"
	"slices"

	"github.com/clewhq/clew/internal/ledger"
)

// TextWords returns the words of a text that the ledger uses to find titles in
// it: each capitalised word with the next one, sorted, without repetitions. If
// Matcher.Find finds a title in the text, they contain its FormWords, or the
// First of them.
func TextWords(text string) []ledger.Words {
	var all []ledger.Words
	tokens := tokenize(text)
	for i, t := range tokens {
		if t.capitalised() {
			all = append(all, wordsAt(tokens, i))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// FormWords returns the words of a title that are likely to be the rarest: the
// longest pair of a capitalised word and the next one, or the last word if it is
// capitalised and as long. It returns 0 for a title that is not searched for.
func FormWords(form string) ledger.Words {
	if !searchable(form) {
		return 0
	}
	tokens, best, longest := tokenize(form), 0, 0
	for i, t := range tokens {
		length := len(t.word)
		if i+1 < len(tokens) {
			length += len(tokens[i+1].word)
		}
		if t.capitalised() && length >= longest {
			best, longest = i, length
		}
	}
	return wordsAt(tokens, best)
}

// wordsAt returns a token and the next one, if there is one.
func wordsAt(tokens []token, i int) ledger.Words {
	words := ledger.Words(uint64(hash(tokens[i].label(true))) << 32)
	if i+1 < len(tokens) {
		words |= ledger.Words(hash(tokens[i+1].label(false)))
	}
	return words
}

// hash never returns 0, which stands for no word.
func hash(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return max(h.Sum32(), 1)
}
