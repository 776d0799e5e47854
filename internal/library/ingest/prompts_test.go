package ingest_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit"
)

// TestDocumentsAreReadWithTheEditedPrompt edits the prompt while a run is
// interrupted: the run goes on with the one it began with. What another prompt has
// read is then offered to be read again, until the prompt is as it was.
func TestDocumentsAreReadWithTheEditedPrompt(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	graph := llmtest.Call("knowledge_graph", map[string]any{
		"nodes": []any{map[string]any{"id": "Maud Ferring", "label": "Person", "aliases": []string{}, "properties": []any{}}}, "relationships": []any{},
	})
	var second llmtest.Reply // to the second chunk
	server.On(llmtest.Any, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.Last(), "Berta Quill met") {
			return second
		}
		return graph
	}))
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: server.URL, Model: "scripted"})
	testkit.Must(t, err)
	book := prompts.New(nil, prompts.NewFences([]byte("test")), extract.Prompt())
	model := extract.New(extract.Params{Chat: chat, Fitness: llm.NewFitness(chat, llm.ModeTool, nil), Prompts: book})
	a := testkit.Open(t, testkit.Options{Extractor: model, Idle: true})
	doc := a.Add(t, "letters.txt", letters("Anna", "Berta")).Document

	builtin := extract.Prompt().Builtin
	save := func(base int, words string) {
		t.Helper()
		text := builtin
		if words != "" {
			text = strings.Replace(builtin, `{{define "structured"}}`, `{{define "structured"}}`+words+" ", 1)
		}
		_, err := a.Prompts.Save(t.Context(), testkit.Workspace, domain.PromptVersion{Role: extract.PromptRole, Text: text}, base)
		testkit.Must(t, err)
	}
	saw := func(words string) (n int) {
		for _, r := range server.Requests(llmtest.Any) {
			if strings.Contains(r.Text(), words) {
				n++
			}
		}
		return n
	}
	outdated := func() int {
		t.Helper()
		counts, err := a.Documents.Count(t.Context(), testkit.Workspace)
		testkit.Must(t, err)
		listed, err := a.Documents.Outdated(t.Context(), testkit.Workspace)
		testkit.Must(t, err)
		if len(listed) != counts.Outdated {
			t.Errorf("%d outdated documents listed, %d counted", len(listed), counts.Outdated)
		}
		return counts.Outdated
	}

	save(0, "Mind the mill.")
	second = llmtest.Unauthorized()
	if _, err = a.Ingest.Run(t.Context(), ingest.Begin(testkit.Workspace, doc.ID), stategraph.Thread("t")); err == nil {
		t.Fatal("the run was not interrupted")
	}
	save(1, "Mind the river.")
	second = graph
	state, err := a.Ingest.Resume(t.Context(), "t")
	testkit.Must(t, err)
	if state.Prompts != 1 || saw("Mind the mill.") < 2 || saw("Mind the river.") != 0 || saw("Mind the mill.") != server.Calls(llmtest.Any) {
		t.Errorf("pin %d; of %d calls %d said the words of the first text, %d those of the second", state.Prompts, server.Calls(llmtest.Any), saw("Mind the mill."), saw("Mind the river."))
	}
	read := a.Document(t, doc.ID)
	if !strings.HasPrefix(read.Reader, "scripted extract/"+extract.Prompt().Version+".") || outdated() != 1 {
		t.Errorf("read by %s, %d outdated", read.Reader, outdated())
	}

	if _, err = a.Ingest.Run(t.Context(), ingest.Begin(testkit.Workspace, doc.ID)); err != nil {
		t.Fatal(err)
	}
	if again := a.Document(t, doc.ID); saw("Mind the river.") != 2 || again.Reader == read.Reader || outdated() != 0 {
		t.Errorf("read again by %s: %d calls said the words of the second text, %d outdated", again.Reader, saw("Mind the river."), outdated())
	}
	save(2, "")
	if outdated() != 1 {
		t.Error("read with an edited prompt, and not outdated when it is reset")
	}
}
