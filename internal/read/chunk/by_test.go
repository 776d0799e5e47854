package chunk_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
)

// cutBy returns the texts of the chunks of t.
func cutBy(t domain.Text, by domain.ChunkBy, limit int) (out []string) {
	for _, c := range chunks("d", t, chunk.Options{Tokens: limit, By: by, Counter: words{}}) {
		out = append(out, c.Text)
	}
	return out
}

func TestChunksByWhatIsChosen(t *testing.T) {
	t.Parallel()
	prose := document("# One", "Alpha beta gamma. Delta epsilon.", "## Two", "Zeta eta theta iota.", "# Three", "Kappa lambda.")
	rows := document("a | b\nc | d\ne | f", "g | h")
	rows.Pages = []domain.Page{{Number: 1, Unit: domain.UnitRow, Span: domain.Span{End: 17}}, {Number: 9, Unit: domain.UnitRow, Span: domain.Span{Start: 19, End: 24}}}
	pages := document("Alpha beta.\nGamma.", "Delta epsilon.")
	pages.Pages = []domain.Page{{Number: 1, Span: domain.Span{End: 18}}, {Number: 2, Span: domain.Span{Start: 20, End: 34}}}
	for name, tt := range map[string]struct {
		text  domain.Text
		by    domain.ChunkBy
		limit int
		want  []string
	}{
		"the format, small":   {prose, domain.ByFormat, 100, []string{prose.Content}},
		"headings":            {prose, domain.ByHeadings, 100, []string{"One\n\nAlpha beta gamma. Delta epsilon.", "Two\n\nZeta eta theta iota.", "Three\n\nKappa lambda."}},
		"headings, long ones": {prose, domain.ByHeadings, 6, []string{"One\n\nAlpha beta gamma.", "Delta epsilon.", "Two\n\nZeta eta theta iota.", "Three\n\nKappa lambda."}},
		"sentences":           {prose, domain.BySentences, 9, []string{"One\n\nAlpha beta gamma. Delta epsilon.", "Two\n\nZeta eta theta iota.\n\nThree", "Kappa lambda."}},
		"tokens":              {prose, domain.ByTokens, 8, []string{"One\n\nAlpha beta gamma. Delta epsilon.\n\nTwo\n\nZeta", "eta theta iota.\n\nThree\n\nKappa lambda."}},
		"rows, one each":      {rows, domain.ByParts, 100, []string{"a | b", "c | d", "e | f", "g | h"}},
		"pages, one each":     {pages, domain.ByParts, 100, []string{"Alpha beta.\nGamma.", "Delta epsilon."}},
		"no parts":            {prose, domain.ByParts, 100, []string{prose.Content}},
	} {
		if diff := cmp.Diff(tt.want, cutBy(tt.text, tt.by, tt.limit)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEveryChunkingCoversTheText holds for any text: chunks lie in order, leave out
// only white space, and keep to the limit.
func TestEveryChunkingCoversTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var paragraphs []string
		for range rapid.IntRange(1, 12).Draw(t, "paragraphs") {
			paragraphs = append(paragraphs, rapid.StringMatching(`#{0,3}[a-zA-Z](([a-z .!|]|\n[a-z]){0,60}[a-z.])?`).Draw(t, "paragraph"))
		}
		text := document(paragraphs...)
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		for _, by := range append(domain.ChunkBys(), domain.ByFormat) {
			cuts, err := chunk.Cuts(context.Background(), text, chunk.Options{Tokens: limit, By: by, Counter: words{}})
			if err != nil {
				t.Fatal(err)
			}
			at, left := 0, ""
			for _, c := range cuts {
				left += domain.Span{Start: at, End: c.Span.Start}.Slice(text.Content)
				at = c.Span.End
				if n := len(strings.Fields(c.Span.Slice(text.Content))); n == 0 || n > limit || n != c.Tokens {
					t.Fatalf("by %q: a chunk of %d words, limit %d", by, n, limit)
				}
			}
			if left += (domain.Span{Start: at, End: domain.Runes(text.Content)}).Slice(text.Content); strings.TrimSpace(left) != "" {
				t.Fatalf("by %q: %q is in no chunk", by, left)
			}
		}
	})
}
