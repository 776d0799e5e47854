package extract_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestNothingLeavesItsFence sends texts that quote marks of earlier requests and
// control tokens in every place of the prompts.
func TestNothingLeavesItsFence(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call(llmtest.Canary, "{}")) // no such tool: the model is asked again
	var models []extract.Extractor
	for _, mode := range []llm.Mode{llm.ModeTool, llm.ModeSchema, llm.ModePrompt} {
		models = append(models, modelOf(t, s, mode, nil))
	}
	var marks []string
	rapid.Check(t, func(t *rapid.T) {
		pieces := llmtest.Attacks(marks)
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, label), "") + llmtest.Canary
		}
		r := extract.Request{Title: text("title"), Before: text("before"), Chunks: []domain.Chunk{{Headings: []string{text("heading")}, Text: text("passage")}}}
		before := s.Calls(llmtest.Any)
		if _, err := rapid.SampledFrom(models).Draw(t, "model").Extract(t.Context(), r); err == nil {
			t.Fatal("an answer by a tool that does not exist was read")
		}
		for i, sent := range s.Requests(llmtest.Any)[before:] {
			fences, err := llmtest.Fences(sent)
			if err != nil || len(fences) != 4+i { // and the problem
				t.Fatalf("%d fences, error %v", len(fences), err)
			}
			if passage := llm.WithControlTokens(fences[3].Text); strings.Trim(passage, "\n") != strings.Trim(r.Chunks[0].Text, "\n") {
				t.Fatalf("the passage %q was sent as %q", r.Chunks[0].Text, passage)
			}
			marks = []string{fences[0].Mark, fences[3].Mark}
		}
	})
}

// TestNamesWithControlTokensAreFound lets the model repeat a name as it was sent.
func TestNamesWithControlTokensAreFound(t *testing.T) {
	t.Parallel()
	for _, token := range llmtest.ControlTokens {
		if strings.HasPrefix(token, "\n") {
			continue
		}
		name := "Queue" + token + "Runner"
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
			fences, err := llmtest.Fences(r)
			if err != nil {
				t.Error(err)
			}
			sent, _, _ := strings.Cut(fences[len(fences)-1].Text, " was")
			return llmtest.Call("knowledge_graph", object{"nodes": []object{node(sent, "program")}, "relationships": []object{}})
		}))
		text := name + " was written by Ann Lee."
		g, warnings := mustExtract(t, modelOf(t, s, llm.ModeTool, nil), text)
		if len(g.Nodes) != 1 || g.Nodes[0].Name != name || len(g.Nodes[0].Spans) != 1 {
			t.Errorf("%s: found %+v, warnings %q", name, g.Nodes, warnings)
			continue
		}
		if found := quoted(text, g.Nodes[0].Spans)[0]; found != name {
			t.Errorf("%s: found at %q", name, found)
		}
	}
}
