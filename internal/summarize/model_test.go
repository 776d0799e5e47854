package summarize_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
)

// records stores model calls in memory.
type records struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (r *records) ModelCall(_ context.Context, key string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept[key], nil
}

func (r *records) SaveModelCall(_ context.Context, key string, _ domain.CallOwner, answer []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string][]byte{}
	}
	r.kept[key] = answer
	return nil
}

func modelOver(t *testing.T, s *llmtest.Server, store llm.Store) summarize.Summariser {
	t.Helper()
	chat, err := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: s.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	return summarize.ModelSummariser(llm.Record(chat, store), prompts.New(nil, prompts.NewFences([]byte("test")), summarize.Prompt()))
}

func silent(string, any) {}

func TestMapPrompt(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("<think>Hm.</think>Ann Lee built it [12]. It has one arch."))
	by := modelOver(t, s, &records{})
	r := summarize.MapRequest{
		Options: summarize.Options{Workspace: ws, Focus: "for a lawyer", Length: summarize.Short},
		Part:    summarize.Part{N: 4, Document: "d1"}, Text: "Ann Lee built Weir Bridge in 1812 [12]. It has one arch.",
	}
	lines, err := by.Map(t.Context(), r, silent)
	if err != nil {
		t.Fatal(err)
	}
	want := []summarize.Sentence{{Text: "Ann Lee built it.", Parts: []int{4}}, {Text: "It has one arch.", Parts: []int{4}}}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got)\n%s", diff)
	}
	text := s.Requests(llmtest.Any)[0].Text()
	for _, part := range []string{"for a lawyer", "50 words", r.Text} {
		if !strings.Contains(text, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, text)
		}
	}
}

func TestReduceTiesSentencesToParts(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("Two bridges stand [1][3]. The second burned down [3, 9].\n\n- Swans are fed. [77]\n\nNobody said why."))
	var shown strings.Builder
	lines, err := modelOver(t, s, &records{}).Reduce(t.Context(), summarize.ReduceRequest{
		Options: summarize.Options{Length: summarize.Medium}, Final: true, Write: func(text string) { shown.WriteString(text) },
		Summaries: []summarize.Summary{
			{Sentences: []summarize.Sentence{{Text: "One bridge stands.", Parts: []int{1}}, {Text: "The swans are fed by hand.", Parts: []int{2}}}},
			{Sentences: []summarize.Sentence{{Text: "Another bridge burned.", Parts: []int{3}}}},
		},
	}, silent)
	if err != nil {
		t.Fatal(err)
	}
	want := []summarize.Sentence{
		{Text: "Two bridges stand.", Parts: []int{1, 3}}, {Text: "The second burned down.", Parts: []int{3}},
		{Text: "Swans are fed.", Parts: []int{2}, Paragraph: 1}, {Text: "Nobody said why.", Parts: []int{}, Paragraph: 2},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got)\n%s", diff)
	}
	if strings.Contains(shown.String(), "[") || !strings.HasPrefix(shown.String(), "Two bridges stand. The second burned down.") {
		t.Errorf("shown while it was written: %q", shown.String())
	}
	if text := s.Requests(llmtest.Any)[0].Text(); !strings.Contains(text, "One bridge stands. [1] The swans are fed by hand. [2]") {
		t.Errorf("the model was not shown the marks:\n%s", text)
	}
}

func TestModelCallsAreRecordedByText(t *testing.T) {
	t.Parallel()
	s, store := llmtest.New(t), &records{}
	s.On(llmtest.Any, llmtest.Say("It says so."))
	r := summarize.MapRequest{Options: summarize.Options{Length: summarize.Medium}, Part: summarize.Part{N: 1}, Text: "Some text."}
	ask := func(wantCalls int) {
		t.Helper()
		if _, err := modelOver(t, s, store).Map(t.Context(), r, silent); err != nil {
			t.Fatal(err)
		}
		if n := s.Calls(llmtest.Any); n != wantCalls {
			t.Errorf("%d calls, want %d: one for each text, focus and length", n, wantCalls)
		}
	}
	ask(1)
	ask(1)
	r.Focus = "the money"
	ask(2)
	r.Length = summarize.Long
	ask(3)
	r.Text = "Another text."
	ask(4)
}

// long is a text of n sections, each a part of its own; one of them may be
// said differently.
func long(n, changed int) string {
	var b strings.Builder
	for i := range n {
		word := "quiet"
		if i == changed {
			word = "loud"
		}
		fmt.Fprintf(&b, "Section%d is %s.%s\n\n", i, word, strings.Repeat(fmt.Sprintf(" It goes on about topic%d.", i), 180))
	}
	return b.String()
}

func TestOnlyMissingCallsAreMade(t *testing.T) {
	t.Parallel()
	const parts = 9
	s, store := llmtest.New(t), &records{}
	s.On(llmtest.Prompt("Passage:"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		name, _, _ := strings.Cut(r.Last()[strings.Index(r.Last(), "Section"):], " ")
		return llmtest.Say(name + " was told.")
	}))
	s.On(llmtest.Any, llmtest.Say("All was told [1]."))
	by := modelOver(t, s, store)
	run := func(by summarize.Summariser, id domain.DocumentID, text string) error {
		g := graph(t, documents{id: text}, by)
		_, _, err := visited(t, g, summarize.Begin{Documents: []domain.DocumentID{id}}, stategraph.MaxConcurrency(1))
		return err
	}
	killed := errors.New("killed")
	var mu sync.Mutex
	n := 0
	cut := dying{by, func() error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n > 5 {
			return killed
		}
		return nil
	}}
	if err := run(cut, "d1", long(parts, -1)); !errors.Is(err, killed) {
		t.Fatalf("the run went on: %v", err)
	}
	before := s.Calls(llmtest.Prompt("Passage:"))
	if err := run(by, "d1", long(parts, -1)); err != nil {
		t.Fatal(err)
	}
	if all := s.Calls(llmtest.Prompt("Passage:")); before != 5 || all != parts {
		t.Errorf("%d calls before and %d after the kill, want %d in all", before, all, parts)
	}
	if err := run(by, "d2", long(parts, 4)); err != nil {
		t.Fatal(err)
	}
	if all := s.Calls(llmtest.Prompt("Passage:")); all != parts+1 {
		t.Errorf("%d calls after one section changed, want one more than %d", all, parts)
	}
}

// dying is a summariser whose Map fails once over does.
type dying struct {
	summarize.Summariser
	over func() error
}

func (d dying) Map(ctx context.Context, r summarize.MapRequest, emit summarize.Emit) ([]summarize.Sentence, error) {
	if err := d.over(); err != nil {
		return nil, domain.Because(domain.Exhausted, err, "The disk is full.")
	}
	return d.Summariser.Map(ctx, r, emit)
}

func TestEmptySummaryIsAnError(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Prompt("Passage:"), llmtest.Say("It says so."))
	s.On(llmtest.Any, llmtest.Say(" "))
	docs := short(2)
	_, _, err := visited(t, graph(t, docs, modelOver(t, s, &records{})), summarize.Begin{Documents: docs.ids()})
	if domain.KindOf(err) != domain.Unavailable || !strings.Contains(err.Error(), "SUMMARY_MODEL") {
		t.Errorf("error %v", err)
	}
}
