package llm_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
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
	f := llm.NewFitness(c, llm.ModeAuto, nil)
	for range 2 {
		if m, err := modeOf(t, f); err == nil {
			t.Errorf("mode %q of a server that fails", m)
		}
	}
	for range 2 {
		if m, err := modeOf(t, f); m != llm.ModeTool || err != nil {
			t.Errorf("%q, %v", m, err)
		}
	}
	if n := s.Calls(llmtest.Any); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}

// modeOf returns the mode in which f asks.
func modeOf(t *testing.T, f *llm.Fitness) (mode llm.Mode, err error) {
	t.Helper()
	err = f.Ask(t.Context(), nil, func(m llm.Mode) error {
		mode = m
		return nil
	})
	return mode, err
}

// fickle is a server that calls tools, and declines them once stop is closed.
func fickle(t *testing.T, refusal llmtest.Reply) (s *llmtest.Server, stop func()) {
	t.Helper()
	var stopped atomic.Bool
	s = llmtest.New(t)
	s.On(llmtest.Tool("report_city"), llmtest.Compute(func(llmtest.Request) llmtest.Reply {
		if stopped.Load() {
			return refusal
		}
		return llmtest.Call("report_city", object{"city": "Paris"})
	}))
	s.On(llmtest.Schema("report_city"), llmtest.JSON(object{"city": "Paris"}))
	return s, func() { stopped.Store(true) }
}

// TestAModelThatStopsAcceptingToolsIsProbedAgain: all calls under way go on in the
// next mode, after one probe.
func TestAModelThatStopsAcceptingToolsIsProbedAgain(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]llmtest.Reply{
		"400": llmtest.Fail(400, "tools are not enabled"),
		"404": llmtest.Fail(404, "No endpoints found that support tool use"),
		"501": llmtest.Fail(501, "not implemented"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, stop := fickle(t, refusal)
			c, _ := connect(t, s.URL)
			var changes, notes atomic.Int32
			f := llm.NewFitness(c, llm.ModeAuto, func(string) { changes.Add(1) })
			if m, err := modeOf(t, f); m != llm.ModeTool || err != nil {
				t.Fatalf("%q, %v", m, err)
			}
			stop()
			const calls = 8
			var under, done sync.WaitGroup // under way; done
			under.Add(calls)
			for range calls {
				done.Go(func() {
					first := true
					err := f.Ask(t.Context(), func(said string) {
						if strings.Contains(said, "mode schema") {
							notes.Add(1)
						}
					}, func(m llm.Mode) error {
						if first {
							first = false
							under.Done()
							under.Wait() // all ask for tools before one is refused
						}
						if m == llm.ModeTool {
							_, err := c.Complete(t.Context(), llm.Request{Tools: []llm.Tool{{Name: "report_city"}}, Messages: []llm.Message{{Role: llm.User, Text: "work"}}})
							return err
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			done.Wait()
			if changes.Load() != 1 || notes.Load() != calls {
				t.Errorf("%d changes and %d notes, want 1 and %d", changes.Load(), notes.Load(), calls)
			}
			probes := s.Calls(llmtest.LastMessage("Report the capital"))
			if schema := s.Calls(llmtest.Schema("report_city")); probes != 2 || schema != 1 {
				t.Errorf("probed for tools %d times, for a schema %d times, want 2 and 1", probes, schema)
			}
		})
	}
}

// TestARequestThatIsWrongInAnyModeFails: the model is probed again, and the
// server's words are the error.
func TestARequestThatIsWrongInAnyModeFails(t *testing.T) {
	t.Parallel()
	s, _ := fickle(t, llmtest.Reply{})
	c, _ := connect(t, s.URL)
	for name, mode := range map[string]llm.Mode{"found": llm.ModeAuto, "set": llm.ModeTool} {
		f := llm.NewFitness(c, mode, func(said string) { t.Errorf("%s: changed: %s", name, said) })
		calls := 0
		err := f.Ask(t.Context(), nil, func(llm.Mode) error {
			calls++
			return &llm.Error{Fault: llm.BadRequest, Status: 400, Message: "too long"}
		})
		if err == nil || err.Error() != "too long" || calls != 1 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}

// TestAServerThatIsAwayWhileProbedAgain: the work waits for it instead of failing.
func TestAServerThatIsAwayWhileProbedAgain(t *testing.T) {
	t.Parallel()
	s, stop := fickle(t, llmtest.ServerError())
	c, _ := connect(t, s.URL)
	f := llm.NewFitness(c, llm.ModeAuto, nil)
	if _, err := modeOf(t, f); err != nil {
		t.Fatal(err)
	}
	stop()
	err := f.Ask(t.Context(), nil, func(llm.Mode) error {
		return &llm.Error{Fault: llm.BadRequest, Status: 400, Message: "no tools"}
	})
	if !domain.Temporary(err) {
		t.Errorf("%v", err)
	}
}
