package answer_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/race"
)

// hostile draws texts from outside.
type hostile struct {
	t      *rapid.T
	pieces []string
}

func (h hostile) text(label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(h.pieces), 1, 6).Draw(h.t, label), "") + llmtest.Canary
}

func (h hostile) passage(id string) domain.Passage {
	text := h.text("passage")
	return domain.Passage{Title: h.text("title"), Name: h.text("name"), Chunk: domain.Chunk{
		ID: domain.ChunkID(id), Headings: []string{h.text("heading"), h.text("heading")}, Text: text, Span: domain.Span{End: domain.Runes(text)},
	}}
}

// TestNothingLeavesItsFence sends texts that quote marks of earlier requests and
// control tokens in every place of every role's prompts.
func TestNothingLeavesItsFence(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("It says [1] no."))
	modes := map[llm.Mode]answer.Roles{}
	for _, mode := range []llm.Mode{llm.ModeTool, llm.ModeSchema, llm.ModePrompt} {
		modes[mode] = rolesOver(t, s, mode)
	}
	var marks []string
	rapid.Check(t, func(t *rapid.T) {
		h := hostile{t, llmtest.Attacks(marks)}
		mode := rapid.SampledFrom([]llm.Mode{llm.ModeTool, llm.ModeSchema, llm.ModePrompt}).Draw(t, "mode")
		roles := modes[mode]
		all := []domain.Passage{h.passage("c1"), h.passage("c2")}
		asked := answer.Asked{Workspace: "w", Question: h.text("question")}
		failed := domain.Figure{ID: "f1", Task: h.text("task"), Status: domain.FigureFailed, Problem: h.text("problem")}
		ctx, before := context.Background(), s.Calls(llmtest.Any)
		_, err := roles.Condenser.Condense(ctx, asked, []answer.Exchange{{Question: h.text("earlier"), Answer: h.text("answer")}}, new(heard).emit)
		must(t, err)
		_, err = roles.Grader.Grade(ctx, answer.GradeRequest{Asked: asked, Passage: all[0], Path: []domain.Hop{{Name: h.text("entity")}}, Candidates: all}, new(heard).emit)
		must(t, err)
		_, err = roles.Rewriter.Rewrite(ctx, answer.RewriteRequest{Asked: asked, Before: []answer.Rewrite{{Text: h.text("wording")}}, Found: []answer.Rejected{{Passage: all[0], Reason: h.text("why")}, {Passage: all[1]}}}, new(heard).emit)
		must(t, err)
		_, err = roles.Writer.Write(ctx, answer.WriteRequest{Asked: asked, Passages: all, Charts: rapid.Bool().Draw(t, "charts"), Steps: []answer.Step{{Asked: h.text("step"), Finding: h.text("finding")}}, Apology: "I am sorry.", Failed: []domain.Figure{failed}, Messages: []answer.Message{
			{ID: "turn-1", From: answer.FromWriter, Content: h.text("said"), Calls: []answer.ToolCall{{ID: "f1", Name: answer.ChartTool, Arguments: `{"task":"x"}`}}},
			{ID: "tool-f1", From: answer.FromTool, ToolCallID: "f1", Status: domain.FigureFailed, Content: "It failed.", Artifact: &answer.Artifact{Figure: failed}},
		}}, &notes{}, new(heard).emit)
		must(t, err)
		_, err = roles.Model.GradeMany(ctx, asked, []answer.GradeRequest{{Asked: asked, Passage: all[0], Path: []domain.Hop{{Name: h.text("entity")}}}, {Asked: asked, Passage: all[1]}}, new(heard).emit)
		must(t, err)
		_, err = roles.Model.Rank(ctx, asked, all, new(heard).emit)
		must(t, err)
		_, err = roles.Model.Decompose(ctx, asked, new(heard).emit)
		must(t, err)
		_, err = roles.Model.Settle(ctx, asked, all, new(heard).emit)
		must(t, err)
		must(t, roles.Model.Revise(ctx, answer.ReviseRequest{Asked: asked, Passages: all, Draft: h.text("draft"), Faults: []answer.Fault{{Sentence: h.text("fault"), Reason: h.text("why")}}}, &notes{}, new(heard).emit))
		_, err = roles.Supporter.Support(ctx, asked, []answer.Claim{{Text: h.text("claim"), Quotes: []string{h.text("quotation")}}}, new(heard).emit)
		must(t, err)

		seen := map[string]bool{}
		sent := s.Requests(llmtest.Any)[before:]
		for _, r := range sent {
			fences, err := llmtest.Fences(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range fences {
				seen[f.Role] = true
				marks = []string{f.Mark}
			}
			holds(t, r, fences, all)
		}
		for _, role := range []string{"question", "answer", "names", "candidates", "title", "passage", "beginning", "wording", "headings", "task", "problem", "sentence", "quotation", "reason", "finding"} {
			if !seen[role] {
				t.Errorf("%d requests have no %s", len(sent), role)
			}
		}
	})
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holds checks that a passage in a fence has its exact characters.
func holds(t *rapid.T, r llmtest.Request, fences []llmtest.Fence, passages []domain.Passage) {
	for _, f := range fences {
		if f.Role != "passage" {
			continue
		}
		text := llm.WithControlTokens(f.Text)
		if !slices.ContainsFunc(passages, func(p domain.Passage) bool { return p.Text == text || "\n"+p.Text+"\n" == text }) {
			t.Errorf("no passage is %q in\n%s", text, r.Text())
		}
	}
}
