package study_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
)

const passage = "The kiln stands behind the house. A kiln is an oven in which clay is fired. It reaches 1,200 degrees. Slip is thin clay."

func ask(t *testing.T, kind domain.StudyKind, answer string) ([]study.Item, *llmtest.Server, error) {
	t.Helper()
	return askAbout(t, passage, kind, answer)
}

func askAbout(t *testing.T, text string, kind domain.StudyKind, answer string) ([]study.Item, *llmtest.Server, error) {
	t.Helper()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say(answer))
	chat, err := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: s.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	maker := study.ModelMaker(chat, prompts.New(nil, prompts.NewFences([]byte("test")), study.Prompt()))
	items, err := maker.Make(t.Context(), study.Request{Wanted: study.Wanted{Workspace: ws, Kind: kind, Most: 30}, Part: summarize.Part{N: 1, Document: "d1", Span: domain.Span{Start: 100}}, Text: text}, func(string) {}, func(string, any) {})
	return items, s, err
}

// TestAModelsItemsNeedTheirSentence drops items whose sentence, term or answer does not stand in the passage.
func TestAModelsItemsNeedTheirSentence(t *testing.T) {
	t.Parallel()
	items, s, err := ask(t, domain.Glossary, "Here you are:\n```json\n"+`[
		{"front": "kiln", "back": "An oven for clay.", "sentence": "a kiln is an oven, in which  clay is fired"},
		{"front": "glaze", "back": "An oven for clay.", "sentence": "A kiln is an oven in which clay is fired."},
		{"front": "Slip", "back": "A kind of paint.", "sentence": "Slip is thin clay."},
		{"front": "Slip", "back": "Thin clay.", "sentence": "Slip is a thin clay that potters love."},
		{"front": "", "back": "Thin clay.", "sentence": "Slip is thin clay."},
		{"front": "Slip", "back": "Thin clay.", "sentence": "clay"},
		{"front": "Slip", "back": "Thin clay.", "sentence": "Slip is thin clay."}]`+"\n```")
	if err != nil {
		t.Fatal(err)
	}
	want := []study.Item{
		{Front: "kiln", Back: "An oven for clay.", Span: domain.Span{Start: 134, End: 175}, Worth: 8},
		{Front: "Slip", Back: "Thin clay.", Span: domain.Span{Start: 202, End: 220}, Worth: 7},
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	text := s.Requests(llmtest.Any)[0].Text()
	if !strings.Contains(text, "as a glossary") || !strings.Contains(text, passage) {
		t.Errorf("the prompt is %s", text)
	}
}

func TestWhatAModelSaysInOtherForms(t *testing.T) {
	t.Parallel()
	one := `{"front": "How hot is it?", "back": "1,200 degrees.", "sentence": "It reaches 1,200 degrees."}`
	for answer, n := range map[string]int{`{"items": [` + one + `]}`: 1, one: 1, "[]": 0, `{"items": []}`: 0, `["kiln"]`: -1, "I can't do that.": -1, "[" + strings.Repeat(one+",", 20) + one + "]": 8, "[" + one + `, {"front": "cut`: 1} {
		items, _, err := ask(t, domain.FAQ, answer)
		switch {
		case n < 0 && domain.KindOf(err) != domain.Invalid:
			t.Errorf("%s: %v, %v", answer, items, err)
		case n >= 0 && (err != nil || len(items) != n):
			t.Errorf("%s: %d items, want %d, %v", answer, len(items), n, err)
		}
	}
}

// TestNothingLeavesItsFence sends passages that quote marks of earlier requests and control tokens.
func TestNothingLeavesItsFence(t *testing.T) {
	t.Parallel()
	var marks []string
	for range 2 { // the second time with the marks of the first
		for _, attack := range llmtest.Attacks(marks) {
			_, s, err := askAbout(t, "Slip is thin clay. "+attack+llmtest.Canary, domain.Cards, "[]")
			if err != nil {
				t.Fatal(err)
			}
			fences, err := llmtest.Fences(s.Requests(llmtest.Any)[0])
			if err != nil || len(fences) != 1 {
				t.Fatalf("%q: %d fences, error %v", attack, len(fences), err)
			}
			marks = []string{fences[0].Mark}
		}
	}
}
