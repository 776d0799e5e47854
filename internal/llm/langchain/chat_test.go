package langchain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// eachProvider runs a test with a server and a model of each provider.
func eachProvider(t *testing.T, test func(t *testing.T, s *llmtest.Server, c *Chat)) {
	t.Helper()
	for _, provider := range []string{OpenAI, Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			test(t, s, chatOf(t, s, Config{Provider: provider}))
		})
	}
}

func chatOf(t *testing.T, s *llmtest.Server, c Config) *Chat {
	t.Helper()
	if c.Provider == "" {
		c.Provider = OpenAI
	}
	c.BaseURL, c.Model = s.URL, "scripted"
	chat, err := NewChat(c)
	if err != nil {
		t.Fatal(err)
	}
	return chat
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		s.On(llmtest.Any, llmtest.Say("In Warsaw.").Using(12, 3).Keeping(5))
		got, err := c.Complete(t.Context(), ask("Where?"))
		if err != nil {
			t.Fatal(err)
		}
		want := llm.Response{Text: "In Warsaw.", Stop: "stop", Usage: llm.Usage{Input: 12, Cached: 5, Output: 3}, Model: "scripted"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	})
}

func TestStream(t *testing.T) {
	t.Parallel()
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		gate := make(chan struct{})
		s.On(llmtest.Any, llmtest.Say("In the old town of Warsaw.").EachAfter(gate).Using(12, 6).Keeping(5))
		var pieces []string
		r := ask("Where?")
		r.OnText = func(text string) {
			pieces = append(pieces, text)
			if len(pieces) == 1 {
				close(gate) // the first piece arrives before the rest is sent
			}
		}
		go func() { gate <- struct{}{} }()
		got, err := c.Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(pieces) != 6 || strings.Join(pieces, "") != got.Text || got.Text != "In the old town of Warsaw." {
			t.Errorf("pieces %q, text %q", pieces, got.Text)
		}
		if got.Usage != (llm.Usage{Input: 12, Cached: 5, Output: 6}) || got.Stop != "stop" {
			t.Errorf("usage %v, stop %q", got.Usage, got.Stop)
		}
	})
}

func TestToolCallsWholeAndStreamed(t *testing.T) {
	t.Parallel()
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		s.On(llmtest.Any, llmtest.Call("grade", map[string]any{"binary_score": "yes"}).And("grade", map[string]any{"binary_score": "no"}))
		r := ask("Grade.")
		r.Tools = []llm.Tool{{Name: "grade", Description: "Grades.", Parameters: json.RawMessage(`{"type":"object"}`)}}
		r.ForceTool = "grade"
		want := []llm.ToolCall{
			{ID: "call_a", Name: "grade", Arguments: `{"binary_score":"yes"}`},
			{ID: "call_b", Name: "grade", Arguments: `{"binary_score":"no"}`},
		}
		for _, streamed := range []bool{false, true} {
			if streamed {
				r.OnText = func(text string) { t.Errorf("tool arguments came as text: %q", text) }
			}
			got, err := c.Complete(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.ToolCalls); diff != "" || got.Stop != "tool_calls" {
				t.Errorf("streamed %t, stop %q, calls (-want +got):\n%s", streamed, got.Stop, diff)
			}
		}
		sent := s.Requests(llmtest.Tool("grade"))
		if len(sent) != 2 || sent[0].ForceTool != "grade" || sent[0].Stream || !sent[1].Stream {
			t.Errorf("sent %d requests, force %q", len(sent), sent[0].ForceTool)
		}
	})
}
