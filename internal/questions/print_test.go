package questions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
)

// TestWhatIsPrintedOfAnAnswer prints answers of which some words were shown before.
func TestWhatIsPrintedOfAnAnswer(t *testing.T) {
	t.Parallel()
	cited := func(says string) string { return "  [1] bridge.md, p. 2: “It stands.”" + says + "\n" }
	for _, tt := range []struct{ said, answer, want string }{
		{"", "One two.", "One two.\n" + cited("")},
		{"One ", "One two.", "two.\n" + cited("")},
		{"One two. ", "One two.", "\n" + cited("")},
		{"Other words", "One two.", "\n\nChecked, the answer is:\n\nOne two.\n" + cited("")},
		{"One  two. Three.", "One two. [1] Three. [1]", "\n" + cited(", for sentences 1, 2")},
	} {
		r := questions.Reply{
			Answer: tt.answer, Citations: []questions.Cited{{N: 1, Document: "bridge.md", Page: 2, Text: "It\nstands."}},
			Sentences: []domain.Sentence{{Text: "One two.", Citations: []int{1}, Supported: true}, {Text: "Three.", Citations: []int{1}, Supported: true}},
		}
		var out strings.Builder
		if err := r.PrintAfter(&out, tt.said); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, out.String()); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", tt.said, diff)
		}
	}
}

// TestWhatIsPrintedBesideAnAnswer prints what no passage supports, a chart, what an answer cost, and what came close.
func TestWhatIsPrintedBesideAnAnswer(t *testing.T) {
	t.Parallel()
	r := questions.Reply{
		Answer: "It stood.", Cost: "12 tokens", Sentences: []domain.Sentence{{Text: "It stood.", Reason: "it is gone"}},
		Figures: []domain.Figure{{Task: "bells a year", Problem: "no numbers"}}, Closest: []questions.Closest{{Document: "bridge.md", Text: "It fell.", Reason: "another bridge"}},
	}
	want := `It stood.
  no passage supports: “It stood.” (it is gone)

No chart of "bells a year": no numbers
  12 tokens
Closest:
  bridge.md: “It fell.” (another bridge)
`
	var out strings.Builder
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
