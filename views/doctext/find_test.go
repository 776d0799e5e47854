package doctext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/views/doctext"
)

func TestFind(t *testing.T) {
	t.Parallel()
	const content = "🧵 The Copper  Bridge.\n\ncopper\nbridge: ÖSTERBY, copper."
	for words, want := range map[string][]string{
		"copper bridge": {"Copper  Bridge", "copper\nbridge"}, "COPPER": {"Copper", "copper", "copper"}, " österby ": {"ÖSTERBY"}, "🧵": {"🧵"},
		"": nil, "   ": nil, "tower": nil,
	} {
		var got []string
		for _, s := range doctext.Find(content, words) {
			got = append(got, s.Slice(content))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got):\n%s", words, diff)
		}
	}
}

// TestEveryWordIsFound looks for the words of a text in it.
func TestEveryWordIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.StringOf(rapid.RuneFrom([]rune("aBİßé🧵 \n\t"))).Draw(t, "content")
		for word := range strings.FieldsSeq(content) {
			found := doctext.Find(content, word)
			if len(found) == 0 {
				t.Fatalf("%q is not found in %q", word, content)
			}
			for _, s := range found {
				if got := s.Slice(content); !strings.EqualFold(got, word) && len([]rune(got)) != len([]rune(word)) {
					t.Fatalf("%q is found as %q", word, got)
				}
			}
		}
	})
}
