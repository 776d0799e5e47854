package langchain

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/clewhq/clew/internal/llm"
)

// openAI speaks the protocol of OpenAI's chat completions.
type openAI struct{ config Config }

func (openAI) messages(r llm.Request) []llms.MessageContent {
	out := make([]llms.MessageContent, 0, len(r.Messages))
	for _, m := range r.Messages {
		out = append(out, llms.MessageContent{Role: libraryRole[m.Role], Parts: parts(m)})
	}
	return out
}

var libraryRole = map[llm.Role]llms.ChatMessageType{
	llm.System:    llms.ChatMessageTypeSystem,
	llm.User:      llms.ChatMessageTypeHuman,
	llm.Assistant: llms.ChatMessageTypeAI,
	llm.ToolRole:  llms.ChatMessageTypeTool,
}

// parts are the pieces of a message.
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

func (p openAI) fields(r llm.Request) map[string]any {
	f := map[string]any{}
	if r.MaxTokens > 0 {
		f[p.maxTokens()] = r.MaxTokens
	}
	if r.OnText != nil {
		f["stream_options"] = map[string]any{"include_usage": true}
	}
	if r.ForceTool != "" {
		f["tool_choice"] = map[string]any{"type": "function", "function": map[string]any{"name": r.ForceTool}}
	}
	if r.Schema != nil {
		f["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": r.Schema.Name, "schema": r.Schema.Schema, "strict": strictable(r.Schema.Schema),
		}}
	}
	return f
}

// maxTokens is the name of the field that bounds an answer: OpenAI's own
// models take the new one alone, everybody else knows the old one.
func (p openAI) maxTokens() string {
	u, err := url.Parse(p.config.BaseURL)
	if err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com")) {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func (openAI) reader(r llm.Request) answerReader { return &openAIReader{text: newText(r.OnText)} }

// completion is a chat completion, or one piece of its stream.
type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		Message *spoken `json:"message"`
		Delta   *spoken `json:"delta"`
		Finish  string  `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// spoken is what a model says, whole or in part.
type spoken struct {
	Content json.RawMessage `json:"content"`
	Calls   []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// openAIReader gathers an answer.
type openAIReader struct {
	text  *text
	calls calls
	reply llm.Response
}

func (a *openAIReader) whole(body []byte) error {
	var c completion
	if err := decode(body, &c); err != nil {
		return err
	}
	if err := a.take(c); err != nil {
		return err
	}
	if len(c.Choices) == 0 || c.Choices[0].Message == nil {
		return errNoChoice
	}
	a.say(c.Choices[0].Message, true)
	if a.reply.Stop == "" {
		a.reply.Stop = "stop"
	}
	return nil
}

func (a *openAIReader) event(data []byte) (bool, error) {
	if string(data) == "[DONE]" {
		if a.reply.Stop == "" {
			a.reply.Stop = "stop"
		}
		return true, nil
	}
	var c completion
	if err := decode(data, &c); err != nil {
		return false, err
	}
	if err := a.take(c); err != nil {
		return false, err
	}
	if len(c.Choices) > 0 && c.Choices[0].Delta != nil {
		a.say(c.Choices[0].Delta, false)
	}
	return false, nil
}

// take keeps what an answer and a piece of a stream have in common.
func (a *openAIReader) take(c completion) error {
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return errorObject(c.Error)
	}
	if c.Model != "" {
		a.reply.Model = c.Model
	}
	if c.Usage != nil {
		a.reply.Usage = llm.Usage{Input: c.Usage.Prompt, Output: c.Usage.Completion}
	}
	if len(c.Choices) > 0 && c.Choices[0].Finish != "" {
		a.reply.Stop = c.Choices[0].Finish
	}
	return nil
}

func (a *openAIReader) say(s *spoken, whole bool) {
	a.text.write(contentText(s.Content))
	for i, c := range s.Calls {
		index := c.Index
		if whole {
			index = i
		}
		a.calls.add(index, c.ID, c.Function.Name, plain(c.Function.Arguments))
	}
}

func (a *openAIReader) ended() bool { return a.reply.Stop != "" }

func (a *openAIReader) answer() llm.Response {
	a.reply.Text, a.reply.ToolCalls = a.text.end(), a.calls.list()
	if len(a.reply.ToolCalls) > 0 && a.reply.Stop == "stop" {
		a.reply.Stop = "tool_calls"
	}
	return a.reply
}

// contentText is the text of a content field: a string, null, or a list of
// parts of which those of type text count.
func contentText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	for _, p := range list {
		if p.Type == "text" {
			s += p.Text
		}
	}
	return s
}
