package chunk

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/testkit/long"
)

// counts fails unless a text has as many tokens as the vocabulary's own splitter finds.
func counts(t interface{ Errorf(string, ...any) }, tok *Tokenizer, text string) {
	want, err := tok.codec().Count(text)
	if got := tok.Count(text); got != want || err != nil {
		t.Errorf("%q has %d tokens, want %d: %v", text, got, want, err)
	}
}

// TestWordsAreThoseOfTheVocabulary counts texts of all that words begin and end with.
func TestWordsAreThoseOfTheVocabulary(t *testing.T) {
	t.Parallel()
	tok := NewTokenizer()
	parts := rapid.SampledFrom([]string{
		"a", "Z", "word", "naïve", "漢字", "e\u0301", "1", "2024", "½", "٣", " ", "  ", "\t", "\u00a0", "\u2009", "\n", "\r\n", "\n\n", "\x85", "\u2028",
		".", "...", "-", "'", "'s", "'S", "'re", "'LL", "'ſ", "’s", "“", "€", "😀", "👩‍👩‍👧", "\u200b", "\u0000", "\ufeff", "_", "(", "), ", "http://", "<|endoftext|>", "\xff", "\xe2\x82",
		strings.Repeat("x", 200), strings.Repeat(" ", 50), strings.Repeat("=", 70),
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(parts, rapid.String())).Draw(t, "parts"), "")
		// The vocabulary has no token for the character DEL, and joins what stands beside it.
		counts(t, tok, strings.ReplaceAll(text, "\x7f", ""))
	})
}

// TestEveryCharacterIsOfItsKind puts each character where its kind decides what a word is.
func TestEveryCharacterIsOfItsKind(t *testing.T) {
	t.Parallel()
	tok, most := NewTokenizer(), long.Or[rune](0x3100, utf8.MaxRune) // most kinds are below
	for r := rune(1); r <= most; r++ {
		if utf8.ValidRune(r) {
			counts(t, tok, fmt.Sprintf("a%cb '%c %c%c1%c.%c\n%c", r, r, r, r, r, r, r))
		}
	}
}

// TestTheTokensOfFewWordsAreKept counts more words than are kept.
func TestTheTokensOfFewWordsAreKept(t *testing.T) {
	t.Parallel()
	tok := NewTokenizer()
	for n := range 2 * maxKnown {
		tok.Count(fmt.Sprintf(" %c%c%c%c", 'a'+n%26, 'a'+n/26%26, 'a'+n/676%26, 'a'+n/17576))
		tok.Count(strings.Repeat("a", maxKnownBytes+1))
	}
	if len(tok.known) > maxKnown {
		t.Errorf("the tokens of %d words are kept, want %d at most", len(tok.known), maxKnown)
	}
}
