package langchain

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"
	claudes "github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestLibraryDefects shows on the bare library why this package reads streams,
// orders vectors and reads Anthropic's answers. A case that fails after an
// upgrade names code that can go.
func TestLibraryDefects(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	plain, err := openai.New(openai.WithToken("t"), openai.WithModel("m"), openai.WithEmbeddingModel("m"), openai.WithBaseURL(s.URL), openai.WithHTTPClient(http.DefaultClient))
	if err != nil {
		t.Fatal(err)
	}
	claude, err := claudes.New(claudes.WithToken("t"), claudes.WithModel("m"), claudes.WithBaseURL(s.URL), claudes.WithHTTPClient(http.DefaultClient))
	if err != nil {
		t.Fatal(err)
	}
	stream := llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	generate := func(m llms.Model, reply llmtest.Reply, options ...llms.CallOption) (*llms.ContentResponse, error) {
		s.First(llmtest.Any, reply)
		return m.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hi")}, options...)
	}
	want := `{"binary_score":"yes"}`

	got, err := generate(plain, llmtest.Call("grade", want).And("grade", want), stream)
	if err == nil && len(got.Choices[0].ToolCalls) == 2 && got.Choices[0].ToolCalls[0].FunctionCall.Arguments == want {
		t.Error("streamed parallel tool calls are right")
	}
	if _, err := generate(plain, llmtest.Raw("data: {\"error\":{\"message\":\"out of memory\"}}\n\n"), stream); err != nil {
		t.Errorf("an error in a stream is an error: %v", err)
	}
	if _, err := generate(plain, llmtest.Raw("data: {\"choices\":[{\"delta\":{\"content\":\"In\"}}]}\n\n"), stream); err != nil {
		t.Errorf("a stream that breaks off is an error: %v", err)
	}
	if _, err := generate(plain, llmtest.Raw(`{"choices":[{"message":{"content":[{"type":"text","text":"Hi"}]}}]}`)); err == nil {
		t.Error("content in parts is read")
	}
	if _, err := generate(plain, llmtest.Raw(`{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]}}]}`)); err == nil {
		t.Error("arguments as an object are read")
	}
	if _, err := generate(plain, llmtest.Raw(`{"created":1.5,"choices":[{"message":{"content":"Hi"}}]}`)); err == nil {
		t.Error("a creation time with a fraction is read")
	}
	got, err = generate(claude, llmtest.Call("f", `{"n":12345678901234567890}`))
	if err != nil || strings.Contains(got.Choices[0].ToolCalls[0].FunctionCall.Arguments, "12345678901234567890") {
		t.Errorf("the numbers of Anthropic's tools stay as they are: %v", err)
	}
	if _, err := generate(claude, llmtest.Raw(`{"content":[{"type":"redacted_thinking"},{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`)); err == nil {
		t.Error("an unknown block of Anthropic's is skipped")
	}
	if _, err := generate(claude, llmtest.Raw(`{"content":[],"stop_reason":"end_turn"}`)); err == nil {
		t.Error("an empty answer of Anthropic's is read")
	}
	s.On(llmtest.Embedding, llmtest.Reordered(1, 0))
	vectors, err := plain.CreateEmbedding(t.Context(), []string{"a", "b"})
	if sorted, _ := (llmtest.Embedder{}).Embed(t.Context(), []string{"a", "b"}); err != nil || cmp.Equal(vectors, sorted) {
		t.Errorf("vectors are ordered by their index: %v", err)
	}
}

func TestAnthropicAnswersThatTheLibraryMisreads(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		want  llm.Response
	}{
		"a large number": {llmtest.Call("f", `{"n":12345678901234567890}`).Using(1, 2), llm.Response{
			Stop: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "call_a", Name: "f", Arguments: `{"n":12345678901234567890}`}}, Usage: llm.Usage{Input: 1, Output: 2},
		}},
		"an unknown block": {llmtest.Raw(`{"content":[{"type":"redacted_thinking"},{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`), llm.Response{Text: "Hi", Stop: "stop"}},
		"nothing to say":   {llmtest.Raw(`{"content":[],"stop_reason":"end_turn"}`), llm.Response{Stop: "stop"}},
		"cached tokens": {llmtest.Raw(`{"content":[{"type":"text","text":"Hi"}],"stop_reason":"max_tokens","usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":4,"cache_creation_input_tokens":8}}`),
			llm.Response{Text: "Hi", Stop: "length", Usage: llm.Usage{Input: 13, Cached: 4, Output: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, tt.reply)
			got, err := chatOf(t, s, Config{Provider: Anthropic}).Complete(t.Context(), ask("Hi"))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Model = "scripted"
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
