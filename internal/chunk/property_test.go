package chunk_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/chunk"
	"github.com/clewhq/clew/internal/domain"
)

// paragraph draws body text of several scripts, with characters of more than
// one code point and words without end among it, or a heading.
func paragraph(t *rapid.T) string {
	word := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z]{1,12}[.!?,]?`),
		rapid.SampledFrom([]string{"東京は大きい。", "👩\u200d🚀", "e\u0301te\u0301", "नमस्ते", "Dr.", "x²", "…", "\n- item", "\n"}),
		rapid.StringOfN(rapid.RuneFrom([]rune("aé漢👍🏽\u0301")), 1, 60, -1),
	)
	text := strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "gap"))
	if level := rapid.IntRange(-4, 4).Draw(t, "level"); level > 0 {
		return strings.Repeat("#", level) + strings.ReplaceAll(text, "\n", " ")
	}
	return strings.TrimLeft(text, "#")
}

func TestSplitProperties(t *testing.T) {
	t.Parallel()
	tok := chunk.NewTokenizer()
	rapid.Check(t, func(t *rapid.T) {
		paragraphs := rapid.SliceOfN(rapid.Custom(paragraph), 0, 12).Draw(t, "paragraphs")
		text := document(paragraphs...)
		options := chunk.Options{Tokens: rapid.IntRange(12, 80).Draw(t, "limit"), Counter: tok}
		got := chunk.Split("d", text, options)
		checkCover(t, text.Content, got)
		ids := make(map[domain.ChunkID]bool)
		for i, c := range got {
			if c.Ordinal != i {
				t.Errorf("chunk %d has ordinal %d", i, c.Ordinal)
			}
			if c.Text != c.Span.Slice(text.Content) {
				t.Errorf("chunk %d: text %q is not the slice %q", i, c.Text, c.Span.Slice(text.Content))
			}
			if n := tok.Count(c.Text); n != c.Tokens || n > options.Tokens {
				t.Errorf("chunk %d: %d tokens, said %d, limit %d", i, n, c.Tokens, options.Tokens)
			}
			ids[c.ID] = true
		}
		if len(ids) != len(got) {
			t.Errorf("%d ids for %d chunks", len(ids), len(got))
		}
		if diff := cmp.Diff(got, chunk.Split("d", text, options)); diff != "" {
			t.Errorf("a second split differs:\n%s", diff)
		}
	})
}

// checkCover fails unless the chunks are in order, apart, not blank, and leave
// out nothing but white space.
func checkCover(t *rapid.T, content string, chunks []domain.Chunk) {
	text := []rune(content)
	at := 0
	for i, c := range chunks {
		if c.Span.Empty() || c.Span.Start < at {
			t.Fatalf("chunk %d spans %v after %d", i, c.Span, at)
		}
		checkBlank(t, text[at:c.Span.Start])
		at = c.Span.End
	}
	checkBlank(t, text[at:])
}

// checkBlank fails if a character that can be seen was left out.
func checkBlank(t *rapid.T, left []rune) {
	for _, r := range left {
		if !unicode.IsSpace(r) {
			t.Errorf("%q is in no chunk", string(left))
			return
		}
	}
}

func TestSplitOfAnEndlessWordEnds(t *testing.T) {
	t.Parallel()
	text := domain.Text{Content: strings.Repeat("a", 200_000)}
	got := chunk.Split("d", text, chunk.Options{Tokens: 64, Counter: chunk.NewTokenizer()})
	if len(got) < 2 {
		t.Errorf("got %d chunks", len(got))
	}
}

func BenchmarkSplit(b *testing.B) {
	text := document(strings.Repeat("The quick brown fox met Dr. Ada Lovelace in Paris. ", 20_000))
	options := chunk.Options{Counter: chunk.NewTokenizer()}
	b.SetBytes(int64(len(text.Content)))
	for b.Loop() {
		chunk.Split("d", text, options)
	}
}
