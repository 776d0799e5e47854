package schemas_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestNothingLeavesItsFence proposes a schema from documents that quote marks of
// earlier requests and control tokens.
func TestNothingLeavesItsFence(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	doc := a.Read(t, "bells.txt", "The Carrow Foundry cast a bell.")
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say(`{"labels": [{"name": "Bell"}]}`))
	by := proposing(t, a, s, llm.ModePrompt)
	var marks []string
	rapid.Check(t, func(rt *rapid.T) {
		pieces := llmtest.Attacks(marks)
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(rt, label), "") + llmtest.Canary
		}
		passage := text("passage")
		testkit.Must(t, a.Ledger.SaveChunks(t.Context(), testkit.Workspace, doc.ID, []domain.Chunk{{ID: "c1", Document: doc.ID, Text: passage}}))
		title := text("title")
		_, err := a.Ledger.UpdateDocument(t.Context(), testkit.Workspace, doc.ID, func(d *domain.Document) { d.Title = title })
		testkit.Must(t, err)
		if _, err := by.Propose(t.Context(), testkit.Workspace); err != nil {
			rt.Fatal(err)
		}
		all := s.Requests(llmtest.Any)
		fences, err := llmtest.Fences(all[len(all)-1])
		if err != nil || len(fences) != 2 {
			rt.Fatalf("%d fences, error %v", len(fences), err)
		}
		marks = []string{fences[0].Mark, fences[1].Mark}
	})
}
