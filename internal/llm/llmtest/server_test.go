package llmtest_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

func connect(t *testing.T, s *llmtest.Server) llm.Chat {
	t.Helper()
	c, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: s.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "You answer."}, {Role: llm.User, Text: text}}}
}

func say(t *testing.T, c llm.Chat, r llm.Request) string {
	t.Helper()
	got, err := c.Complete(t.Context(), r)
	if err != nil {
		return err.Error()
	}
	return got.Text
}

func TestFirstMatchingRuleAnswersInTurn(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.LastMessage("Where"), llmtest.Say("one"), llmtest.Say("two"))
	s.On(llmtest.Prompt("You answer"), llmtest.Say("other"))
	s.First(llmtest.All(llmtest.Plain, llmtest.LastMessage("Who")), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		return llmtest.Say("echo " + r.Last())
	}))
	c := connect(t, s)
	var got []string
	for _, q := range []string{"Where?", "Where?", "Where?", "What?", "Who?"} {
		got = append(got, say(t, c, ask(q)))
	}
	if diff := cmp.Diff([]string{"one", "two", "two", "other", "echo Who?"}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if n := s.Calls(llmtest.LastMessage("Where")); n != 3 || s.Calls(llmtest.Any) != 5 || s.Calls(llmtest.Model("scripted")) != 5 {
		t.Errorf("counted %d of 3, %d of 5", n, s.Calls(llmtest.Any))
	}
}

func TestRequestWithoutRuleIsShown(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Tool("other"))
	if got := say(t, connect(t, s), ask("Where?")); !strings.Contains(got, "no rule") || !strings.Contains(got, "Where?") {
		t.Errorf("the answer is %q", got)
	}
}

func TestRequestsAreCaptured(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("not_offered", "{broken"))
	r := ask("Grade.")
	r.Tools = []llm.Tool{{Name: "grade", Description: "Grades.", Parameters: []byte(`{"type":"object"}`)}}
	r.ForceTool = "grade"
	got, err := connect(t, s).Complete(t.Context(), r)
	if err != nil || got.ToolCalls[0].Name != "not_offered" || got.ToolCalls[0].Arguments != "{broken" {
		t.Errorf("%+v, %v", got, err)
	}
	sent := s.Requests(llmtest.Tool("grade"))
	if len(sent) != 1 || sent[0].ForceTool != "grade" || sent[0].Text() != "You answer.\n\nGrade." {
		t.Errorf("captured %+v", sent)
	}
	if diff := cmp.Diff(r.Tools, sent[0].Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestRepliesWaitForTheirGate(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	gate := make(chan struct{})
	s.On(llmtest.Any, llmtest.Say("late").After(gate))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := connect(t, s).Complete(ctx, ask("Where?"))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	close(gate)
	if got := say(t, connect(t, s), ask("Where?")); got != "late" {
		t.Errorf("answer %q after the gate opened", got)
	}
}

func TestCloseEndsDelayedReplies(t *testing.T) {
	t.Parallel()
	s := llmtest.Start()
	s.On(llmtest.Any, llmtest.Compute(func(llmtest.Request) llmtest.Reply {
		go s.Close()
		return llmtest.Say("never").After(make(chan struct{}))
	}))
	if _, err := connect(t, s).Complete(t.Context(), ask("Where?")); err == nil {
		t.Error("a closed server answered")
	}
	s.Close()
}

func TestUsageIsCountedInWords(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("In Warsaw, of course."))
	got, err := connect(t, s).Complete(t.Context(), ask("Where was it?"))
	if err != nil || got.Usage != (llm.Usage{Input: 5, Output: 4}) {
		t.Errorf("usage %v, %v", got.Usage, err)
	}
}

func TestEmbedder(t *testing.T) {
	t.Parallel()
	e := llmtest.Embedder{}
	v, err := e.Embed(t.Context(), []string{"The keeper lit the lamp.", "Keepers lit lamps!", "Nine bicycles rusted.", "", "The keeper lit the lamp."})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i] * b[i])
		}
		return sum
	}
	for i := range v {
		if length := dot(v[i], v[i]); len(v[i]) != llmtest.Dimension || math.Abs(length-1) > 1e-5 {
			t.Errorf("vector %d has %d numbers and length %v", i, len(v[i]), length)
		}
	}
	if !cmp.Equal(v[0], v[4]) || dot(v[0], v[1]) < 0.5 || dot(v[0], v[2]) > 0.3 {
		t.Errorf("similar %v, different %v", dot(v[0], v[1]), dot(v[0], v[2]))
	}
	if small, _ := (llmtest.Embedder{Size: 8}).Embed(t.Context(), []string{"a"}); len(small[0]) != 8 {
		t.Errorf("%d numbers, want 8", len(small[0]))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}
