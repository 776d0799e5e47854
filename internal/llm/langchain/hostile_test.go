package langchain_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/testkit/heap"
	"github.com/clewhq/clew/internal/testkit/race"
)

const (
	hostileSize = 12 << 20
	// Of an answer, with what the library and the decoder copy of it.
	most = 8 * hostileSize
)

func repeated(head, piece, tail string) string {
	return head + strings.Repeat(piece, (hostileSize-len(head)-len(tail))/len(piece)) + tail
}

// TestHostileReplies has servers answer what takes far more memory than it has bytes,
// or never ends.
func TestHostileReplies(t *testing.T) { //nolint:paralleltest // what runs beside it would be measured too
	race.Skip(t)
	choice := `{"choices":[{"finish_reason":"stop","message":{"content":`
	event := func(delta string) string { return `data: {"choices":[{"delta":` + delta + `}]}` + "\n\n" }
	for name, body := range map[string]string{
		"choices":          repeated(`{"choices":[{}`, `,{}`, `]}`),
		"a list":           repeated(choice, `[`, ``),
		"numbers":          repeated(choice+`[0`, `,0`, `]}}]}`),
		"empty objects":    repeated(choice+`[{}`, `,{}`, `]}}]}`),
		"members":          repeated(choice+`{"a":0`, `,"a":0`, `}}}]}`),
		"calls":            repeated(`{"choices":[{"message":{"tool_calls":[{}`, `,{}`, `]}}]}`),
		"models":           repeated(`{"data":[{}`, `,{}`, `]}`),
		"JSON in text":     repeated(choice+`"[`, `[],`, `]"}}]}`),
		"objects in text":  repeated(choice+`"{`, `'a':'b',`, `}"}}]}`),
		"a number":         repeated(choice, `9`, `}}]}`),
		"events":           repeated("", event(`{"content":"`+"a b"+`"}`), "data: [DONE]\n\n"),
		"events of calls":  repeated("", event(`{"tool_calls":[{"index":0,"id":"","function":{"name":"a","arguments":"x1"}}]}`), "data: [DONE]\n\n"),
		"calls of events":  repeated("", event(`{"tool_calls":[{"index":999999999,"id":"1"},{"index":-1,"id":"2"}]}`), "data: [DONE]\n\n"),
		"a line":           repeated("data: ", "x", "\n\n"),
		"comments":         repeated("", ": working\n\n", "data: [DONE]\n\n"),
		"vectors":          repeated(`{"data":[{"embedding":[0`, `,0`, `]}]}`),
		"empty vectors":    repeated(`{"data":[{"embedding":[]}`, `,{}`, `]}`),
		"Anthropic blocks": repeated(`{"content":[{}`, `,{}`, `],"stop_reason":"end_turn"}`),
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }))
		for _, provider := range []string{langchain.OpenAI, langchain.Anthropic} {
			config := langchain.Config{Provider: provider, BaseURL: server.URL, Model: "m"}
			chat, err := langchain.NewChat(config)
			if err != nil {
				t.Fatal(err)
			}
			for _, stream := range []bool{false, true} {
				took := heap.Peak(func() {
					r, err := chat.Complete(t.Context(), llm.Request{Stream: stream, Messages: []llm.Message{{Role: llm.User, Text: "?"}}, Tools: []llm.Tool{{Name: "a", Parameters: []byte(`{"type":"object"}`)}}})
					if err == nil {
						_, _, _ = llm.ReadJSON(r.Text, func(any) bool { return false })
					}
				})
				if took > most {
					t.Errorf("%s, from %s, stream %t: %d MB for %d MB", name, provider, stream, took>>20, hostileSize>>20)
				}
			}
		}
		config := langchain.Config{Provider: langchain.OpenAI, BaseURL: server.URL, Model: "m"}
		embedder, err := langchain.NewEmbedder(config)
		if err != nil {
			t.Fatal(err)
		}
		if took := heap.Peak(func() { _, _ = embedder.Embed(t.Context(), []string{"?"}) }); took > most {
			t.Errorf("%s, of an embedder: %d MB for %d MB", name, took>>20, hostileSize>>20)
		}
		if took := heap.Peak(func() { _, _ = langchain.List(t.Context(), config) }); took > most {
			t.Errorf("%s, of a list: %d MB for %d MB", name, took>>20, hostileSize>>20)
		}
		server.Close()
	}
}

// TestHeadersOfAnswersAreBounded: a server that sends headers without end is refused.
func TestHeadersOfAnswersAreBounded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := range 8000 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
		}
		io.WriteString(w, `{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}`)
	}))
	t.Cleanup(server.Close)
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: server.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := chat.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "?"}}}); err == nil {
		t.Errorf("it answered %q", r.Text)
	}
}
