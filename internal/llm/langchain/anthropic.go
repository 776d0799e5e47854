package langchain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/transport"
)

// anthropicMessages speaks Anthropic's messages.
type anthropicMessages struct{}

// anthropicTokens bounds an answer when the request does not: the protocol
// demands a number.
const anthropicTokens = 4096

// messages gives every part of a turn its own message, because the library
// sends one part of a message only; amend joins them again. It joins the
// system messages.
func (anthropicMessages) messages(r llm.Request) []llms.MessageContent {
	var system []string
	var out []llms.MessageContent
	for _, m := range r.Messages {
		if m.Role == llm.System {
			system = append(system, m.Text)
			continue
		}
		for _, p := range parts(m) {
			out = append(out, llms.MessageContent{Role: libraryRole[m.Role], Parts: []llms.ContentPart{objectArguments(p)}})
		}
	}
	if len(system) > 0 {
		text := llms.TextContent{Text: strings.Join(system, "\n\n")}
		out = append([]llms.MessageContent{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{text}}}, out...)
	}
	return out
}

// objectArguments replaces a call's arguments by an empty object when they are
// no JSON object, which the protocol can't send.
func objectArguments(p llms.ContentPart) llms.ContentPart {
	c, ok := p.(llms.ToolCall)
	var object map[string]any
	if ok && (json.Unmarshal([]byte(c.FunctionCall.Arguments), &object) != nil || object == nil) {
		c.FunctionCall = &llms.FunctionCall{Name: c.FunctionCall.Name, Arguments: "{}"}
		return c
	}
	return p
}

// amend asks for an answer in a schema by a tool that must be called: the
// protocol has no other way.
func (anthropicMessages) amend(body map[string]any, r llm.Request) {
	for _, name := range []string{"messages", "system", "tools"} {
		if written, ok := body[name].(json.RawMessage); ok {
			body[name] = decoded(written)
		}
	}
	body["messages"] = joinTurns(body["messages"])
	body["max_tokens"] = cmp.Or(r.MaxTokens, anthropicTokens)
	force := r.ForceTool
	if r.Schema != nil {
		force = r.Schema.Name
		body["tools"] = []any{map[string]any{"name": force, "description": "Gives the answer.", "input_schema": r.Schema.Schema}}
	}
	if force != "" {
		body["tool_choice"] = map[string]any{"type": "tool", "name": force}
	}
	cacheStable(body)
}

// decoded returns a member of a body that was just read, with numbers as they are written.
func decoded(member json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(member))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// cacheStable asks the server to keep what calls of a role have in common, the tools
// and the system messages, which it reads in this order. It ignores the mark on texts
// too short to be worth it.
func cacheStable(body map[string]any) {
	mark := map[string]any{"type": "ephemeral"}
	if system, ok := body["system"].(string); ok && system != "" {
		body["system"] = []any{map[string]any{"type": "text", "text": system, "cache_control": mark}}
		return
	}
	if tools, ok := body["tools"].([]any); ok && len(tools) > 0 {
		if last, ok := tools[len(tools)-1].(map[string]any); ok {
			last["cache_control"] = mark
		}
	}
}

// joinTurns joins neighbouring messages of the same role.
func joinTurns(v any) []any {
	messages, _ := v.([]any)
	var out []any
	for _, m := range messages {
		message, _ := m.(map[string]any)
		content, _ := message["content"].([]any)
		if len(out) > 0 {
			last, _ := out[len(out)-1].(map[string]any)
			if before, ok := last["content"].([]any); ok && last["role"] == message["role"] {
				last["content"] = append(before, content...)
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// anthropicMessage is a whole answer.
type anthropicMessage struct {
	Model   string           `json:"model"`
	Content []anthropicBlock `json:"content"`
	Stop    string           `json:"stop_reason"`
	Usage   anthropicUsage   `json:"usage"`
}

// anthropicBlock is a part of an answer.
type anthropicBlock struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type anthropicUsage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

// whole reads the answer itself: the library rewrites the numbers in a tool's
// arguments, and fails on an empty answer and on a block that it doesn't know.
func (anthropicMessages) whole(a *answer, body []byte) ([]byte, error) {
	var m struct {
		transport.Failure
		anthropicMessage
	}
	if err := m.Decode(body, &m); err != nil {
		return nil, err
	}
	a.start(m.anthropicMessage)
	for i, b := range m.Content {
		switch b.Type {
		case "text":
			a.write(b.Text)
		case "tool_use":
			a.toolUse(i, b, string(b.Input))
		}
	}
	a.stop(m.Stop)
	return nil, nil
}

func (anthropicMessages) event(a *answer, data []byte) (bool, error) {
	var e struct {
		transport.Failure
		Type    string           `json:"type"`
		Index   int              `json:"index"`
		Message anthropicMessage `json:"message"`
		Block   anthropicBlock   `json:"content_block"`
		Delta   struct {
			Text string `json:"text"`
			JSON string `json:"partial_json"`
			Stop string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}
	if err := e.Decode(data, &e); err != nil {
		return false, err
	}
	switch e.Type {
	case "message_start":
		a.start(e.Message)
	case "content_block_start":
		a.write(e.Block.Text)
		if e.Block.Type == "tool_use" {
			a.toolUse(e.Index, e.Block, "")
		}
	case "content_block_delta":
		a.write(e.Delta.Text)
		if e.Delta.JSON != "" {
			a.toolUse(e.Index, anthropicBlock{}, e.Delta.JSON)
		}
	case "message_delta":
		a.stop(e.Delta.Stop)
		a.response.Usage.Output = max(a.response.Usage.Output, e.Usage.Output)
	}
	return e.Type == "message_stop" || a.enough(), nil
}

func (a *answer) start(m anthropicMessage) {
	a.response.Model = m.Model
	a.response.Usage = llm.Usage{Input: m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite, Cached: m.Usage.CacheRead, Output: m.Usage.Output}
}

// toolUse adds a piece of a tool call, which is the text of an answer in a
// schema.
func (a *answer) toolUse(index int, b anthropicBlock, arguments string) {
	if a.request.Schema != nil {
		a.write(arguments)
		return
	}
	a.call(index, b.ID, b.Name, arguments)
}

// stop translates why an answer ended; finish tells "stop" from "tool_calls".
func (a *answer) stop(reason string) {
	switch reason {
	case "end_turn", "stop_sequence", "tool_use":
		reason = llm.StopDone
	}
	a.response.Stop = reason
}
