package chunk

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Tokenizer counts tokens of the cl100k_base vocabulary, which is built into
// the program. Other models use other vocabularies, whose counts differ by a
// few per cent, so a limit in these tokens measures length and guarantees
// nothing about a particular model. It is safe for concurrent use.
type Tokenizer struct {
	codec func() *codec.Codec

	mu    sync.Mutex
	known map[string]int // tokens of words that were counted
}

var _ Counter = (*Tokenizer)(nil)

// The most words whose tokens are kept, and the most bytes of one.
const maxKnown, maxKnownBytes = 1 << 14, 24

// NewTokenizer returns a tokenizer that loads the vocabulary when it first counts.
// That is slow and takes memory, so share the result.
func NewTokenizer() *Tokenizer {
	return &Tokenizer{codec: sync.OnceValue(codec.NewCl100kBase), known: map[string]int{}}
}

// Count returns the number of tokens in text. No token reaches over the end of a word,
// and most words have been counted before.
func (t *Tokenizer) Count(text string) (tokens int) {
	if !utf8.ValidString(text) {
		return t.ask(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(text) > 0 {
		n := firstWord(text)
		tokens += t.ofWord(text[:n])
		text = text[n:]
	}
	return tokens
}

// ofWord returns the number of tokens in a word. The caller holds the lock.
func (t *Tokenizer) ofWord(word string) int {
	if len(word) > maxKnownBytes {
		return t.ask(word)
	}
	n, ok := t.known[word]
	if !ok {
		if len(t.known) >= maxKnown {
			clear(t.known)
		}
		n = t.ask(word)
		t.known[strings.Clone(word)] = n
	}
	return n
}

// ask counts with the vocabulary. Text that its splitter rejects counts one token
// per byte; no valid UTF-8 is known to be rejected.
func (t *Tokenizer) ask(text string) int {
	n, err := t.codec().Count(text)
	if err != nil {
		return len(text)
	}
	return n
}
