package chunk

import (
	"github.com/tiktoken-go/tokenizer/codec"
)

// Tokenizer counts tokens of the cl100k_base vocabulary, which comes with the
// program. Hosted and local models use other vocabularies, whose counts differ
// by some per cent; a limit in these tokens is a measure of length, not a
// promise about one model. It is safe for concurrent use.
type Tokenizer struct {
	codec *codec.Codec
}

var _ Counter = (*Tokenizer)(nil)

// NewTokenizer loads the vocabulary, which takes a moment and some memory: make
// one and share it.
func NewTokenizer() *Tokenizer {
	return &Tokenizer{codec: codec.NewCl100kBase()}
}

// Count is the number of tokens of text. Text that the vocabulary's splitter
// refuses, which no valid UTF-8 is known to be, counts a token a byte.
func (t *Tokenizer) Count(text string) int {
	n, err := t.codec.Count(text)
	if err != nil {
		return len(text)
	}
	return n
}
