package langchain

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

var citySchema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)

func only(t *testing.T, s *llmtest.Server) llmtest.Request {
	t.Helper()
	sent := s.Requests(llmtest.Any)
	if len(sent) != 1 {
		t.Fatalf("%d requests were sent, want 1", len(sent))
	}
	return sent[0]
}

func TestSchemaMode(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Schema("city"), llmtest.Say(`{"city":"Warsaw"}`))
	r := ask("Where?")
	r.Schema = &llm.Schema{Name: "city", Schema: citySchema}
	got, err := chatOf(t, s, Config{}).Complete(t.Context(), r)
	if err != nil || got.Text != `{"city":"Warsaw"}` {
		t.Fatalf("%q, %v", got.Text, err)
	}
	var format struct {
		Type   string `json:"type"`
		Schema struct {
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	}
	if !only(t, s).Field("response_format", &format) || format.Type != "json_schema" || !format.Schema.Strict {
		t.Errorf("response_format is %+v", format)
	}
}

func TestAnthropicSchemaIsAForcedTool(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		s := llmtest.New(t)
		s.On(llmtest.Tool("city"), llmtest.Call("city", map[string]any{"city": "Warsaw"}))
		r, seen := ask("Where?"), ""
		r.Schema = &llm.Schema{Name: "city", Schema: citySchema}
		if streamed {
			r.OnText = func(text string) { seen += text }
		}
		got, err := chatOf(t, s, Config{Provider: Anthropic}).Complete(t.Context(), r)
		if err != nil || got.Text != `{"city":"Warsaw"}` || len(got.ToolCalls) != 0 || got.Stop != "stop" {
			t.Errorf("streamed %t: %+v, %v", streamed, got, err)
		}
		if streamed && seen != got.Text {
			t.Errorf("seen %q", seen)
		}
		if force := only(t, s).ForceTool; force != "city" {
			t.Errorf("forced tool %q", force)
		}
	}
}

func TestConversationOnTheWire(t *testing.T) {
	t.Parallel()
	conversation := []llm.Message{
		{Role: llm.System, Text: "Be brief."},
		{Role: llm.User, Text: "Draw two charts."},
		{Role: llm.Assistant, Text: "Here they are.", ToolCalls: []llm.ToolCall{
			{ID: "a", Name: "chart", Arguments: `{"task":"one"}`}, {ID: "b", Name: "chart", Arguments: `{"task":"two"}`},
		}},
		{Role: llm.ToolRole, ToolCallID: "a", Text: "placeholder one"},
		{Role: llm.ToolRole, ToolCallID: "b", Text: "placeholder two"},
	}
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		s.On(llmtest.Any, llmtest.Say("Done."))
		if _, err := c.Complete(t.Context(), llm.Request{Messages: conversation}); err != nil {
			t.Fatal(err)
		}
		sent := only(t, s)
		if diff := cmp.Diff(conversation, sent.Messages); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if sent.Kind == llmtest.KindMessages {
			var turns []struct{ Role string }
			if !sent.Field("messages", &turns) || len(turns) != 3 {
				t.Errorf("turns of one role were not joined: %+v", turns)
			}
		}
	})
}

// TestLongTextsOnTheWire: they are sent as they are.
func TestImagesOnTheWire(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{OpenAI, Anthropic} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Say("A bridge."))
		r := ask("What does it show?")
		last := &r.Messages[len(r.Messages)-1]
		last.Images = []llm.Image{{Media: "image/png", Hash: "abc", Data: []byte("\x89PNG dots")}}
		if got, err := chatOf(t, s, Config{Provider: provider}).Complete(t.Context(), r); err != nil || got.Text != "A bridge." {
			t.Fatalf("%s: %q, %v", provider, got.Text, err)
		}
		sent := only(t, s).Messages
		got := sent[len(sent)-1]
		if len(got.Images) != 1 || got.Images[0].Media != "image/png" || string(got.Images[0].Data) != "\x89PNG dots" || got.Text != "What does it show?" {
			t.Errorf("%s: sent %+v", provider, got)
		}
		other := r
		other.Messages = slices.Clone(r.Messages)
		other.Messages[len(r.Messages)-1].Images = []llm.Image{{Media: "image/png", Hash: "def"}}
		one, err := llm.Key("m", r)
		two, err2 := llm.Key("m", other)
		if one == two || err != nil || err2 != nil {
			t.Errorf("%s: requests with different pictures have the keys %s and %s, errors %v, %v", provider, one, two, err, err2)
		}
	}
}

func TestLongTextsOnTheWire(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\"quoted\" \\ <b>&\n\u2028 é 漢 \x00 ", 20)
	for name, texts := range map[string][]string{
		"long":      {long + "one", "short", long + "two", long + "one"},
		"not UTF-8": {long + "\xff", long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
				s.On(llmtest.Any, llmtest.Say("Done."))
				var r llm.Request
				var want []llm.Message
				for i, text := range texts {
					m := llm.Message{Role: []llm.Role{llm.System, llm.User, llm.Assistant, llm.User}[i], Text: text}
					r.Messages = append(r.Messages, m)
					m.Text = strings.ToValidUTF8(text, "\uFFFD")
					want = append(want, m)
				}
				if _, err := c.Complete(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, only(t, s).Messages); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAnthropicIsAskedToKeepTheStablePart: a mark stands behind the system messages,
// and without them behind the last tool, but never behind what differs from call to
// call. What the server kept is counted apart.
func TestAnthropicIsAskedToKeepTheStablePart(t *testing.T) {
	t.Parallel()
	marked := func(r llm.Request) (string, llm.Usage) {
		t.Helper()
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Say("Done.").Using(900, 10).Keeping(800))
		got, err := chatOf(t, s, Config{Provider: Anthropic}).Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var where []string
		for _, field := range []string{"tools", "system", "messages"} {
			var parts []map[string]json.RawMessage
			only(t, s).Field(field, &parts)
			for i, p := range parts {
				if strings.Contains(string(only(t, s).Body), "cache_control") && string(p["cache_control"]) == `{"type":"ephemeral"}` {
					where = append(where, fmt.Sprint(field, i+1, "of", len(parts)))
				}
			}
		}
		if n := strings.Count(string(only(t, s).Body), "cache_control"); n != len(where) {
			t.Errorf("%d marks, of them %v where they belong", n, where)
		}
		return strings.Join(where, " "), got.Usage
	}
	tools := []llm.Tool{{Name: "a", Parameters: citySchema}, {Name: "b", Parameters: citySchema}}
	user, system := llm.Message{Role: llm.User, Text: "Which?"}, llm.Message{Role: llm.System, Text: "Be brief."}
	for want, r := range map[string]llm.Request{
		"system1of1": {Messages: []llm.Message{system, user}, Tools: tools},
		"tools2of2":  {Messages: []llm.Message{user}, Tools: tools},
		"tools1of1":  {Messages: []llm.Message{user}, Schema: &llm.Schema{Name: "city", Schema: citySchema}},
		"":           {Messages: []llm.Message{user}},
	} {
		got, used := marked(r)
		if got != want || used.Input != 900 || used.Cached != 800 {
			t.Errorf("marked %q, want %q; used %+v", got, want, used)
		}
	}
}

func TestAnthropicReplacesArgumentsThatAreNoObject(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("Done."))
	_, err := chatOf(t, s, Config{Provider: Anthropic}).Complete(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: llm.User, Text: "Go."},
		{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "chart", Arguments: `{"task":`}}},
		{Role: llm.ToolRole, ToolCallID: "a", Text: "broken"},
	}})
	if err != nil || only(t, s).Messages[1].ToolCalls[0].Arguments != "{}" {
		t.Errorf("%v, sent %+v", err, only(t, s).Messages)
	}
}

func TestKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	t.Setenv("OPENAI_ORGANIZATION", "from-the-environment")
	for _, provider := range []string{OpenAI, Anthropic} {
		for _, key := range []string{"", "the-key"} {
			s := llmtest.New(t)
			s.On(llmtest.Any, llmtest.Say("Hello."))
			c := chatOf(t, s, Config{Provider: provider, Key: key})
			if _, err := c.Complete(t.Context(), ask("Hi")); err != nil {
				t.Fatal(err)
			}
			sent := only(t, s)
			got := strings.TrimPrefix(sent.Header.Get("Authorization"), "Bearer ") + sent.Header.Get("X-Api-Key")
			if got != key {
				t.Errorf("%s: sent key %q, want %q", provider, got, key)
			}
			if sent.Header.Get("Openai-Organization") != "" {
				t.Errorf("%s: headers %v", provider, sent.Header)
			}
		}
	}
}

func TestTemperatureAndTokens(t *testing.T) {
	t.Parallel()
	eachProvider(t, func(t *testing.T, s *llmtest.Server, c *Chat) {
		s.On(llmtest.Any, llmtest.Say("Hello."))
		r := ask("Hi")
		r.MaxTokens = 77
		if _, err := c.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		temperature, tokens := 1.0, 0
		sent := only(t, s)
		if !sent.Field("temperature", &temperature) || temperature != 0 || !sent.Field("max_tokens", &tokens) || tokens != 77 {
			t.Errorf("temperature %v, tokens %d: %s", temperature, tokens, sent.Body)
		}
	})
	if got := (openAI{config: Config{BaseURL: "https://api.openai.com/v1"}}).maxTokens(); got != "max_completion_tokens" {
		t.Errorf("OpenAI's own field is %q", got)
	}
}

// What is kept of one request gives the next one what the library would have written.
func TestRequestsAreWrittenAsByTheLibrary(t *testing.T) {
	t.Parallel()
	tool := llm.Tool{Name: "report", Description: "Reports " + blank + ".", Parameters: citySchema}
	long := []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "<a> \"b\" \xff\u2028 & " + blank}, {Role: llm.Assistant}}
	called := append(slices.Clone(long), llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "report", Arguments: "{}"}}},
		llm.Message{Role: llm.ToolRole, ToolCallID: "1", Text: "Done."})
	for _, name := range []string{"any", "o1-mini", "gpt-5"} {
		p := openAI{Config{Model: name, BaseURL: "http://127.0.0.1"}, new(forms)}
		for i, r := range []llm.Request{
			{Messages: long}, {Messages: long, Tools: []llm.Tool{{Name: "report", Parameters: citySchema}}}, {Messages: long, Tools: []llm.Tool{tool}}, {Messages: called},
			{Messages: long[:1], Temperature: 0.5}, {Messages: long[:1], Temperature: 0.7}, {},
		} {
			want, err := p.byLibrary(r)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got, err := p.written(r); err != nil || string(got) != string(want) {
					t.Errorf("%s, request %d: %v\n%s\nwant\n%s", name, i, err, got, want)
				}
			}
		}
	}
	p := openAI{Config{Model: "any", BaseURL: "http://127.0.0.1"}, new(forms)}
	for i := range 3 * maxForms {
		if _, err := p.written(llm.Request{Messages: long, Temperature: float64(i)}); err != nil || len(p.forms.kept) > maxForms {
			t.Fatalf("%d forms are kept, %v", len(p.forms.kept), err)
		}
	}
}

func TestOddAnswers(t *testing.T) {
	t.Parallel()
	var digits strings.Builder
	for i := range 40 << 10 {
		fmt.Fprint(&digits, i)
	}
	long := digits.String()
	for name, tt := range map[string]struct {
		body   string
		stream bool
		want   llm.Response
	}{
		"a whole answer where a stream was wanted": {`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, true, llm.Response{Text: "Hi", Stop: "stop"}},
		"no finish reason":                         {`{"choices":[{"message":{"content":"Hi"}}]}`, false, llm.Response{Text: "Hi", Stop: "stop"}},
		"content in parts":                         {`{"choices":[{"message":{"content":[{"type":"thinking"},{"type":"text","text":"Hi"}]}}]}`, false, llm.Response{Text: "Hi", Stop: "stop"}},
		"fields of other types": {`{"created":1.5,"system_fingerprint":7,"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, false,
			llm.Response{Text: "Hi", Stop: "stop", Usage: llm.Usage{Input: 3, Output: 1}}},
		"kept tokens, as another server counts them": {`{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_cache_hit_tokens":6}}`, false,
			llm.Response{Text: "Hi", Stop: "stop", Usage: llm.Usage{Input: 9, Cached: 6, Output: 1}}},
		"a count of kept tokens that is none": {`{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":"many"}}}`, false,
			llm.Response{Text: "Hi", Stop: "stop", Usage: llm.Usage{Input: 9, Output: 1}}},
		"reasoning beside the text": {`{"choices":[{"message":{"content":"Hi","reasoning_content":"hm"}}]}`, false, llm.Response{Text: "Hi", Stop: "stop"}},
		"a large number in arguments": {`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"n":12345678901234567890}}}]}}]}`, false,
			llm.Response{Stop: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"n":12345678901234567890}`}}}},
		"a thought first": {`{"choices":[{"message":{"content":"<think>hm</think>\n\nHi"}}]}`, false, llm.Response{Text: "Hi", Stop: "stop"}},
		"arguments as an object, no id": {`{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"g","arguments":""}}]},"finish_reason":"stop"}]}`, false,
			llm.Response{Stop: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "f", Arguments: `{"a":1}`}, {ID: "call_2", Name: "g", Arguments: "{}"}}}},
		"calls of one index": {"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n", true,
			llm.Response{Stop: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "{}"}}}},
		"a long line, no [DONE]":   {"data: {\"choices\":[{\"delta\":{\"content\":\"" + long + "\"},\"finish_reason\":\"length\"}]}\r\n", true, llm.Response{Text: long, Stop: "length"}},
		"no finish reason, [DONE]": {": hello\n\ndata:{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n", true, llm.Response{Text: "Hi", Stop: "stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, llmtest.Raw(tt.body))
			r, seen := ask("Hi"), ""
			if tt.stream {
				r.OnText = func(text string) { seen += text }
			}
			got, err := chatOf(t, s, Config{}).Complete(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Model = "scripted"
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%.500s", diff)
			}
			if tt.stream && seen != got.Text {
				t.Errorf("%d characters streamed of %d", len(seen), len(got.Text))
			}
		})
	}
}

// TestHeadersAndParametersOnTheWire: as Azure and gateways want them, and in no
// error.
func TestHeadersAndParametersOnTheWire(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{OpenAI, Anthropic} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.Say("yes"), llmtest.Fail(400, "the key hunter2222 of hunter333 is wrong"))
		c, err := NewChat(Config{Provider: provider, Model: "m", BaseURL: s.URL + "?api-version=2024-10-21", Query: url.Values{"team": {"hunter333"}}, Headers: map[string]string{"api-key": "hunter2222", "X-Team": "archive"}})
		if err != nil {
			t.Fatal(err)
		}
		r := ask("Say yes.")
		r.OnText = func(string) {}
		if _, err := c.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		sent := only(t, s)
		if got := sent.Query.Encode(); got != "api-version=2024-10-21&team=hunter333" {
			t.Errorf("%s: parameters %s", provider, got)
		}
		if got := sent.Header.Get("Api-Key") + " " + sent.Header.Get("X-Team"); got != "hunter2222 archive" {
			t.Errorf("%s: headers %s", provider, got)
		}
		if sent.Header.Get("Authorization") != "" || sent.Header.Get("X-Api-Key") != "" {
			t.Errorf("%s: a key was sent, and none was set: %v", provider, sent.Header)
		}
		if _, err := c.Complete(t.Context(), r); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: the error is %v", provider, err)
		}
	}
}
