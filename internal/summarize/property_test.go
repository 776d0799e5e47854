package summarize_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/summarize"
)

// TestPartsCoverTheText splits random texts with the real tokenizer: no part
// exceeds the limit, and every word is in one.
func TestPartsCoverTheText(t *testing.T) {
	t.Parallel()
	counter := chunk.NewTokenizer()
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom([]string{"bell", "☂", "鐘楼の", "e\u0301tude", "\n\n", "\n", "antidisestablishmentarianism", "end.", "1871"})
		docs := documents{"d1": strings.Join(rapid.SliceOfN(word, 1, 40).Draw(r, "words"), " ")}
		docs["d1"] = strings.Repeat(docs["d1"]+" ", rapid.IntRange(1, 120).Draw(r, "times"))
		by := &scripted{each: func(int) int { return 1 }}
		g, err := summarize.Graph(summarize.Params{Texts: docs, Counter: counter, Summariser: by})
		if err != nil {
			r.Fatal(err)
		}
		s, err := g.Run(t.Context(), summarize.Start(summarize.Begin{Workspace: ws, Documents: docs.ids()}))
		if err != nil {
			r.Fatal(err)
		}
		var words []string
		for i, p := range s.Contents {
			text := p.Span.Slice(docs["d1"])
			if n := counter.Count(text); n > summarize.PartTokens {
				r.Errorf("part %d has %d tokens", i, n)
			}
			words = append(words, strings.Fields(text)...)
		}
		if want := strings.Fields(docs["d1"]); strings.Join(words, "") != strings.Join(want, "") {
			r.Error("the parts are not the text")
		}
	})
}

// TestParseMarkedInvertsMarked round-trips random sentences.
func TestParseMarkedInvertsMarked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var s summarize.Summary
		for range rapid.IntRange(1, 8).Draw(r, "lines") {
			text := rapid.StringMatching(`[A-Z][a-z]{2,8}( [a-z]{2,8}){1,6} stood\.`).Draw(r, "text")
			parts := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(1, 1200), 1, 5).Draw(r, "parts"))))
			s.Sentences = append(s.Sentences, summarize.Sentence{Text: text, Parts: parts, Paragraph: len(s.Sentences) / 3})
		}
		got := summarize.ParseMarked(s.Marked(), s.Sentences)
		if len(got) != len(s.Sentences) {
			r.Fatalf("%d lines became %d: %q", len(s.Sentences), len(got), s.Marked())
		}
		for i, l := range got {
			if l.Text != s.Sentences[i].Text || !slices.Equal(l.Parts, s.Sentences[i].Parts) || l.Paragraph != s.Sentences[i].Paragraph {
				r.Errorf("line %+v became %+v", s.Sentences[i], l)
			}
		}
	})
}
