package langchain

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/transport"
)

// openAI speaks OpenAI's chat completions.
type openAI struct{ config Config }

func (openAI) messages(r llm.Request) []llms.MessageContent {
	out := make([]llms.MessageContent, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = llms.MessageContent{Role: libraryRole[m.Role], Parts: parts(m)}
	}
	return out
}

var libraryRole = map[llm.Role]llms.ChatMessageType{
	llm.System:    llms.ChatMessageTypeSystem,
	llm.User:      llms.ChatMessageTypeHuman,
	llm.Assistant: llms.ChatMessageTypeAI,
	llm.ToolRole:  llms.ChatMessageTypeTool,
}

func parts(m llm.Message) []llms.ContentPart {
	if m.Role == llm.ToolRole {
		return []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.ToolCallID, Content: m.Text}}
	}
	var out []llms.ContentPart
	if m.Text != "" || len(m.ToolCalls) == 0 {
		out = append(out, llms.TextContent{Text: m.Text})
	}
	for _, c := range m.ToolCalls {
		out = append(out, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: c.Arguments}})
	}
	return out
}

func (p openAI) amend(body map[string]any, r llm.Request) {
	if r.MaxTokens > 0 {
		body[p.maxTokens()] = r.MaxTokens
	}
	if r.OnText != nil {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	if r.ForceTool != "" {
		body["tool_choice"] = map[string]any{"type": "function", "function": map[string]any{"name": r.ForceTool}}
	}
	if r.Schema != nil {
		body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": r.Schema.Name, "schema": r.Schema.Schema, "strict": r.Schema.Strict(),
		}}
	}
}

// maxTokens names the field that bounds an answer: OpenAI's own models take
// only the new one, other servers know the old one.
func (p openAI) maxTokens() string {
	u, err := url.Parse(p.config.BaseURL)
	if err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com")) {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// whole leaves the choices and the usage to the library, without the fields
// whose types some servers change, and keeps the model's name, which the
// library drops.
func (openAI) whole(a *answer, body []byte) ([]byte, error) {
	var c struct {
		transport.Failure
		Model   string `json:"model"`
		Choices []any  `json:"choices"`
		Usage   any    `json:"usage"`
	}
	if err := c.Decode(body, &c); err != nil {
		return nil, err
	}
	a.response.Usage.Cached = usageOf(body).cached()
	if used, ok := c.Usage.(map[string]any); ok {
		delete(used, "prompt_tokens_details")
	}
	if len(c.Choices) == 0 {
		return nil, errNoAnswer
	}
	a.response.Model = c.Model
	return json.Marshal(map[string]any{"choices": repair("", c.Choices), "usage": c.Usage})
}

// repair rewrites the values of a JSON tree that the library can't read:
// content as a list of parts, and arguments as an object.
func repair(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if key == "arguments" {
			return argumentsText(v)
		}
		for k, e := range v {
			v[k] = repair(k, e)
		}
	case []any:
		if key == "content" {
			return contentText(v)
		}
		for i, e := range v {
			v[i] = repair("", e)
		}
	}
	return v
}

// openAIUsage counts tokens. Servers name those that they had kept in two ways.
type openAIUsage struct {
	Input   int `json:"prompt_tokens"`
	Output  int `json:"completion_tokens"`
	Hits    int `json:"prompt_cache_hit_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func (u openAIUsage) cached() int { return min(max(u.Details.Cached, u.Hits), u.Input) }

// usageOf returns the count in a whole answer, zero if it has another form: an
// answer is worth more than its count.
func usageOf(body []byte) openAIUsage {
	var used struct {
		Usage openAIUsage `json:"usage"`
	}
	if json.Unmarshal(body, &used) != nil {
		return openAIUsage{}
	}
	return used.Usage
}

func (openAI) event(a *answer, data []byte) (bool, error) {
	if string(data) == "[DONE]" {
		if !a.complete() {
			a.response.Stop = "stop"
		}
		return true, nil
	}
	var c struct {
		transport.Failure
		Model   string `json:"model"`
		Choices []struct {
			Delta struct {
				Content any `json:"content"`
				Calls   []struct {
					Index    int    `json:"index"`
					ID       string `json:"id"`
					Function struct {
						Name      string `json:"name"`
						Arguments any    `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"delta"`
			Stop string `json:"finish_reason"`
		} `json:"choices"`
		Usage *openAIUsage `json:"usage"`
	}
	if err := c.Decode(data, &c); err != nil {
		return false, err
	}
	if c.Model != "" {
		a.response.Model = c.Model
	}
	if c.Usage != nil {
		a.response.Usage = llm.Usage{Input: c.Usage.Input, Cached: c.Usage.cached(), Output: c.Usage.Output}
	}
	if len(c.Choices) == 0 {
		return false, nil
	}
	if c.Choices[0].Stop != "" {
		a.response.Stop = c.Choices[0].Stop
	}
	a.write(contentText(c.Choices[0].Delta.Content))
	for _, call := range c.Choices[0].Delta.Calls {
		a.call(call.Index, call.ID, call.Function.Name, argumentsText(call.Function.Arguments))
	}
	return false, nil
}

// contentText returns a content field's text: a string, or the parts of a list
// that are text.
func contentText(v any) string {
	text, _ := v.(string)
	list, _ := v.([]any)
	for _, e := range list {
		if part, _ := e.(map[string]any); part["type"] == "text" {
			more, _ := part["text"].(string)
			text += more
		}
	}
	return text
}

// argumentsText returns a call's arguments as JSON text: servers send a
// string, an object or null.
func argumentsText(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	b, _ := json.Marshal(v) // it was decoded from JSON
	return string(b)
}
