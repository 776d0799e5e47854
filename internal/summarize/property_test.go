package summarize_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/chunk"
	"github.com/clewhq/clew/internal/summarize"
)

// TestPartsKeepTheLimitAndLoseNothing cuts texts of any kind by the product's
// own tokens: no part is longer than the limit, and every word is in one.
func TestPartsKeepTheLimitAndLoseNothing(t *testing.T) {
	t.Parallel()
	counter := chunk.NewTokenizer()
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.SampledFrom([]string{"bell", "☂", "鐘楼の", "e\u0301tude", "\n\n", "\n", "antidisestablishmentarianism", "end.", "1871"})
		docs := shelf{"d1": strings.Join(rapid.SliceOfN(word, 1, 40).Draw(r, "words"), " ")}
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

// TestMarksAreReadBack writes any lines with their marks and reads the same
// parts back.
func TestMarksAreReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var s summarize.Summary
		for range rapid.IntRange(1, 8).Draw(r, "lines") {
			text := rapid.StringMatching(`[A-Z][a-z]{2,8}( [a-z]{2,8}){1,6} stood\.`).Draw(r, "text")
			parts := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(1, 1200), 1, 5).Draw(r, "parts"))))
			s.Lines = append(s.Lines, summarize.Line{Text: text, Parts: parts, Paragraph: len(s.Lines) / 3})
		}
		got := summarize.ReadMarked(s.Marked(), s.Lines)
		if len(got) != len(s.Lines) {
			r.Fatalf("%d lines became %d: %q", len(s.Lines), len(got), s.Marked())
		}
		for i, l := range got {
			if l.Text != s.Lines[i].Text || !slices.Equal(l.Parts, s.Lines[i].Parts) || l.Paragraph != s.Lines[i].Paragraph {
				r.Errorf("line %+v became %+v", s.Lines[i], l)
			}
		}
	})
}
