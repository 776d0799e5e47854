package llm_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/llm"
)

func TestASlowServerIsCalledSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := chat(func(context.Context, llm.Request) (llm.Response, error) {
			time.Sleep(42 * time.Second)
			return llm.Response{Text: "```json\n{\"city\": \"Paris\"}\n```"}, nil
		})
		r := llm.Probe(t.Context(), slow, nil)
		said := ""
		for _, c := range r.Checks {
			said += c.Sentence + "\n"
			if !c.OK {
				t.Errorf("failed: %s", c.Sentence)
			}
		}
		if !strings.Contains(said, "slow: 42 s") || r.Mode != llm.ModeTool {
			t.Errorf("mode %s\n%s", r.Mode, said)
		}
	})
}

// TestBoundsLeaveWhatAServerDeclines also shows what a call is sent with.
func TestBoundsLeaveWhatAServerDeclines(t *testing.T) {
	t.Parallel()
	var sent []llm.Request
	declining := chat(func(_ context.Context, r llm.Request) (llm.Response, error) {
		sent = append(sent, r)
		switch {
		case r.MaxTokens > 0:
			return llm.Response{}, &llm.Error{Fault: llm.BadRequest, Message: "max_tokens is too large."}
		case strings.Contains(string(r.Schema.Schema), "maxItems"):
			return llm.Response{}, &llm.Error{Fault: llm.BadRequest, Message: "maxItems is not permitted."}
		case r.Stream:
			return llm.Response{}, &llm.Error{Fault: llm.ServerFailed, Message: "Cannot use tools with stream."}
		}
		return llm.Response{Text: "{}"}, nil
	})
	const schema = `{"type":"object","properties":{"nodes":{"items":{"type":"object","properties":{"aliases":{"type":"array"}}},"type":"array"}}}`
	q := llm.Request{
		Prompt: "extract-schema/1", Stream: true, Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("word ", 1000)}},
		Schema: &llm.Schema{Name: "graph", Schema: []byte(schema)},
	}
	if _, err := llm.Bound(declining, 0).Complete(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 4 || sent[0].MaxTokens != 2048+3*1251 || sent[3].MaxTokens > 0 || string(sent[3].Schema.Schema) != schema {
		t.Errorf("%d requests, of %d tokens", len(sent), sent[0].MaxTokens)
	}
	if got := string(sent[0].Schema.Schema); !strings.Contains(got, `"aliases":{"maxItems":24,"type":"array"}`) || !strings.Contains(got, `"maxItems":200,"type":"array"}}}`) {
		t.Errorf("schema %s", got)
	}
	sent = nil
	most := llm.Bound(chat(func(_ context.Context, r llm.Request) (llm.Response, error) {
		sent = append(sent, r)
		return llm.Response{}, nil
	}), 77)
	if _, err := most.Complete(t.Context(), llm.Request{Prompt: "grade/1"}); err != nil || sent[0].MaxTokens != 77 {
		t.Errorf("%d tokens, %v", sent[0].MaxTokens, err)
	}
}
