package llm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

type object = map[string]any

func connect(t *testing.T, url string) (llm.Chat, llm.Embedder) {
	t.Helper()
	c, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: url, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := langchain.NewEmbedder(langchain.Config{Provider: langchain.OpenAI, BaseURL: url, Model: "vectors"})
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

// outcome returns the checks of a report as "what: ok" or "what: no".
func outcome(r llm.Report) []string {
	var lines []string
	for _, c := range r.Checks {
		lines = append(lines, c.What+map[bool]string{true: ": ok", false: ": no"}[c.OK])
		if !strings.HasSuffix(c.Sentence, ".") {
			lines = append(lines, "no sentence: "+c.Sentence)
		}
	}
	return lines
}

func TestProbe(t *testing.T) {
	t.Parallel()
	hello := func(s *llmtest.Server) { s.On(llmtest.LastMessage("Say yes"), llmtest.Say("Yes.")) }
	for name, tt := range map[string]struct {
		script func(*llmtest.Server)
		mode   llm.Mode
		want   []string
	}{
		"all works": {func(s *llmtest.Server) {
			hello(s)
			s.On(llmtest.Tool("report_city"), llmtest.Call("report_city", object{"city": "Paris"}))
			s.On(llmtest.Schema("report_city"), llmtest.JSON(object{"city": "Paris"}))
		}, llm.ModeTool, []string{"server: ok", "model known: ok", "answers: ok", "JSON schema: ok", "tools: ok", "embeddings: ok"}},
		"no tools": {func(s *llmtest.Server) {
			hello(s)
			s.On(llmtest.Tool("report_city"), llmtest.Fail(500, "tools param requires --jinja flag"))
			s.On(llmtest.Schema("report_city"), llmtest.JSON(object{"city": "Paris"}))
		}, llm.ModeSchema, []string{"server: ok", "model known: ok", "answers: ok", "JSON schema: ok", "tools: no", "embeddings: ok"}},
		"only words": {func(s *llmtest.Server) {
			hello(s)
			s.On(llmtest.Any, llmtest.Call("another_tool", object{"city": "Paris"}))
		}, llm.ModePrompt, []string{"server: ok", "model known: ok", "answers: ok", "JSON schema: no", "tools: no", "plain text: ok", "embeddings: ok"}},
		"unknown model": {func(s *llmtest.Server) {
			s.On(llmtest.Any, llmtest.Fail(404, "model not found"))
			s.On(llmtest.Embedding, llmtest.Fail(404, "model not found"))
		}, "", []string{"server: ok", "model known: no", "embeddings: no"}},
		"refused": {func(s *llmtest.Server) { s.On(llmtest.Any, llmtest.Unauthorized()) }, "",
			[]string{"server: ok", "answers: no", "embeddings: ok"}},
		"a web page": {func(s *llmtest.Server) { s.On(llmtest.Any, llmtest.HTML()) }, "",
			[]string{"server: ok", "answers: no", "embeddings: ok"}},
		"vectors without meaning": {func(s *llmtest.Server) {
			s.On(llmtest.Any, llmtest.Unauthorized())
			s.On(llmtest.Embedding, llmtest.Vectors([]float32{1, 0}, []float32{0, 1}))
		}, "", []string{"server: ok", "answers: no", "embeddings: ok", "meaning: no"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			tt.script(s)
			c, e := connect(t, s.URL)
			r := llm.Probe(t.Context(), c, e)
			if diff := cmp.Diff(tt.want, outcome(r)); diff != "" || r.Mode != tt.mode {
				t.Errorf("mode %q, lines (-want +got):\n%s", r.Mode, diff)
			}
		})
	}
}

func TestProbeWithoutServer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	c, e := connect(t, s.URL)
	s.Close()
	r := llm.Probe(t.Context(), c, e)
	if diff := cmp.Diff([]string{"server: no", "embeddings: no"}, outcome(r)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if r := llm.Probe(t.Context(), nil, nil); len(r.Checks) != 0 {
		t.Errorf("without models: %v", r.Checks)
	}
}

func TestFitnessProbesAgainAfterAnOutage(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Tool("report_city"), llmtest.ServerError(), llmtest.Fail(http.StatusNotFound, "loading"), llmtest.Call("report_city", object{"city": "Paris"}))
	c, _ := connect(t, s.URL)
	f := llm.NewFitness(c, llm.ModeAuto)
	for range 2 {
		if m, err := f.Mode(t.Context()); err == nil {
			t.Errorf("mode %q of a server that fails", m)
		}
	}
	for range 2 {
		if m, err := f.Mode(t.Context()); m != llm.ModeTool || err != nil {
			t.Errorf("%q, %v", m, err)
		}
	}
	if n := s.Calls(llmtest.Any); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}
