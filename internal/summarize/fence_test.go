package summarize_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestNothingLeavesItsFence sends texts that quote marks of earlier requests and
// control tokens in every place of the prompts. Sentences may be a person's.
func TestNothingLeavesItsFence(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("It says so."))
	by := modelOver(t, s, &records{})
	var marks []string
	rapid.Check(t, func(t *rapid.T) {
		pieces := llmtest.Attacks(marks)
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, label), "") + llmtest.Canary
		}
		o := summarize.Options{Focus: text("focus"), Length: summarize.Short, Salt: text("salt")}
		before := s.Calls(llmtest.Any)
		_, err := by.Map(t.Context(), summarize.MapRequest{Options: o, Text: text("passage")}, silent)
		if err != nil {
			t.Fatal(err)
		}
		_, err = by.Reduce(t.Context(), summarize.ReduceRequest{Options: o, Final: rapid.Bool().Draw(t, "final"), Summaries: []summarize.Summary{
			{Sentences: []summarize.Sentence{{Text: text("sentence"), Parts: []int{1}}, {Text: text("sentence"), Parts: []int{2}}}},
			{Sentences: []summarize.Sentence{{Text: text("sentence"), Parts: []int{3}}}},
		}}, silent)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Requests(llmtest.Any)[before:] {
			fences, err := llmtest.Fences(r)
			if err != nil || len(fences) < 2 {
				t.Fatalf("%d fences, error %v", len(fences), err)
			}
			marks = []string{fences[0].Mark, fences[1].Mark}
		}
	})
}
