package chunk

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Tokenizer counts tokens of the cl100k_base vocabulary, which is built into
// the program. Other models use other vocabularies, whose counts differ by a
// few per cent, so a limit in these tokens measures length and guarantees
// nothing about a particular model. It is safe for concurrent use.
type Tokenizer struct {
	codec func() *codec.Codec
}

var _ Counter = (*Tokenizer)(nil)

// NewTokenizer returns a tokenizer that loads the vocabulary when it first counts.
// That is slow and takes memory, so share the result.
func NewTokenizer() *Tokenizer {
	return &Tokenizer{codec: sync.OnceValue(codec.NewCl100kBase)}
}

// Count returns the number of tokens in text. Text that the vocabulary's
// splitter rejects counts one token per byte; no valid UTF-8 is known to be
// rejected.
func (t *Tokenizer) Count(text string) int {
	n, err := t.codec().Count(text)
	if err != nil {
		return len(text)
	}
	return n
}
