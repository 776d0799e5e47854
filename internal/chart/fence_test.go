package chart_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestNothingLeavesItsFence sends texts that quote marks of earlier requests and
// control tokens in every place of the prompts.
func TestNothingLeavesItsFence(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.JSON(good()))
	by := specifier(t, s, llm.ModePrompt)
	var marks []string
	rapid.Check(t, func(t *rapid.T) {
		pieces := llmtest.Attacks(marks)
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, label), "") + llmtest.Canary
		}
		_, err := by.Specify(t.Context(), chart.Request{
			Question: text("question"), Task: text("task"), Before: &chart.Specification{Title: text("before")}, Mistakes: []string{text("mistake")},
			Evidence: chart.Evidence{
				Passages: []domain.Passage{{Title: text("title"), Chunk: domain.Chunk{Headings: []string{text("heading")}, Text: text("passage")}}},
				Counts:   []chart.GraphCount{{Count: domain.Count{Of: domain.CountEntities, Key: text("key")}, Value: 3}},
			},
		}, func(string, any) {})
		if err != nil {
			t.Fatal(err)
		}
		all := s.Requests(llmtest.Any)
		fences, err := llmtest.Fences(all[len(all)-1])
		if err != nil || len(fences) != 8 {
			t.Fatalf("%d fences, error %v", len(fences), err)
		}
		marks = []string{fences[0].Mark, fences[2].Mark}
	})
}
