package chunk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/testkit/long"
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
		got := chunks("d", text, options)
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
		if diff := cmp.Diff(got, chunks("d", text, options)); diff != "" {
			t.Errorf("a second split differs:\n%s", diff)
		}
	})
}

// A failer is a test, of whatever kind.
type failer interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// checkCover fails unless the chunks are in order, apart, not blank, and leave
// out nothing but white space.
func checkCover(t failer, content string, chunks []domain.Chunk) {
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
func checkBlank(t failer, left []rune) {
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
	got := chunks("d", text, chunk.Options{Tokens: 64, Counter: chunk.NewTokenizer()})
	if len(got) < 2 {
		t.Errorf("got %d chunks", len(got))
	}
}

// large returns texts of the kinds that a scan which starts over and over would
// never get through.
func large() map[string]domain.Text {
	n := long.Or(300_000, 3_000_000)
	row := strings.Repeat("cell 12.5 | ", 200) + "end\n"
	headings := domain.Text{Content: strings.Repeat("A\n\n", n/15)}
	for i := range n / 15 {
		headings.Headings = append(headings.Headings, domain.Heading{Level: 1 + i%3, Text: "A", Span: domain.Span{Start: 3 * i, End: 3*i + 1}})
	}
	return map[string]domain.Text{
		"rows without a full stop": {Content: strings.Repeat(row, n/len(row))},
		"full stops before a word": {Content: strings.Repeat(".", n) + "a"},
		"full stops, lower case":   {Content: strings.Repeat(".", n) + " a"},
		"a word":                   {Content: strings.Repeat("a", n)},
		"headings":                 headings,
	}
}

func TestSplitIsLinear(t *testing.T) {
	t.Parallel()
	for name, text := range large() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			got, err := chunk.Split(ctx, "d", text, chunk.Options{Counter: letters{}})
			if err != nil || len(got) < 2 {
				t.Errorf("%d chunks, %v", len(got), err)
			}
		})
	}
}

// letters counts four bytes as a token, which costs nothing.
type letters struct{}

func (letters) Count(text string) int { return (len(text) + 3) / 4 }

// A counter calls stop when it has counted n times.
type counter struct {
	n    *int
	stop func()
}

func (c counter) Count(text string) int {
	if *c.n--; *c.n == 0 {
		c.stop()
	}
	return letters{}.Count(text)
}

func TestSplitHearsItsContext(t *testing.T) {
	t.Parallel()
	for name, text := range large() {
		ctx, cancel := context.WithCancel(context.Background())
		left := 100
		_, err := chunk.Split(ctx, "d", text, chunk.Options{Counter: counter{&left, cancel}})
		if !errors.Is(err, context.Canceled) || left < 0 {
			t.Errorf("%s: error %v, counted %d times after the end", name, err, -left)
		}
		cancel()
	}
}

// FuzzSplit splits any text by any limit.
func FuzzSplit(f *testing.F) {
	f.Add("Dr. A met B... no? Yes! \n\n# H\n\n- a | b\n- c", 12)
	f.Add("東京は大きい。👩\u200d🚀 e\u0301te\u0301\n\n\n…\"", 3)
	f.Fuzz(func(t *testing.T, content string, limit int) {
		content = strings.ToValidUTF8(content, "\uFFFD")
		var text domain.Text
		for i, p := range strings.SplitAfter(content, "\n") { // every fifth line is a heading
			if span := (domain.Span{Start: domain.Runes(text.Content)}); i%5 == 0 {
				span.End = span.Start + domain.Runes(p)
				text.Headings = append(text.Headings, domain.Heading{Level: 1 + i%4, Text: p, Span: span})
			}
			text.Content += p
		}
		limit = 1 + max(limit, -limit)%100
		got := chunks("d", text, chunk.Options{Tokens: limit, Counter: letters{}})
		checkCover(t, text.Content, got)
		for i, c := range got {
			if n := (letters{}).Count(c.Text); n != c.Tokens || n > limit && domain.Runes(c.Text) > 1 {
				t.Errorf("chunk %d: %d tokens, said %d, limit %d", i, n, c.Tokens, limit)
			}
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	text := document(strings.Repeat("The quick brown fox met Dr. Ada Lovelace in Paris. ", 20_000))
	options := chunk.Options{Counter: chunk.NewTokenizer()}
	b.SetBytes(int64(len(text.Content)))
	for b.Loop() {
		chunks("d", text, options)
	}
}
