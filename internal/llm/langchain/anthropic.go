package langchain

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/clewhq/clew/internal/llm"
)

// anthropicMessages speaks the protocol of Anthropic's messages.
type anthropicMessages struct{ config Config }

// anthropicTokens bounds an answer when the request does not: the protocol
// demands a number.
const anthropicTokens = 4096

// messages gives every piece of a turn its own message, because the library
// keeps one piece a message only; fields joins them again. System messages
// become one.
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

// objectArguments replaces the arguments of a call that are no JSON object,
// which the protocol has no way to send, by an empty one.
func objectArguments(p llms.ContentPart) llms.ContentPart {
	c, ok := p.(llms.ToolCall)
	var object map[string]any
	if ok && (json.Unmarshal([]byte(c.FunctionCall.Arguments), &object) != nil || object == nil) {
		c.FunctionCall = &llms.FunctionCall{Name: c.FunctionCall.Name, Arguments: "{}"}
		return c
	}
	return p
}

// fields asks for data of a given form by a tool that must be called: the
// protocol knows no other way.
func (anthropicMessages) fields(r llm.Request) map[string]any {
	f := map[string]any{"messages": joinTurns, "max_tokens": anthropicTokens}
	if r.MaxTokens > 0 {
		f["max_tokens"] = r.MaxTokens
	}
	force := r.ForceTool
	if r.Schema != nil {
		force = r.Schema.Name
		f["tools"] = []any{map[string]any{"name": force, "description": "Gives the answer.", "input_schema": r.Schema.Schema}}
	}
	if force != "" {
		f["tool_choice"] = map[string]any{"type": "tool", "name": force}
	}
	return f
}

// joinTurns joins neighbouring messages of the same role.
var joinTurns = func(v any) any {
	messages, _ := v.([]any)
	var out []any
	for _, m := range messages {
		message, ok := m.(map[string]any)
		content, isList := message["content"].([]any)
		if ok && isList && len(out) > 0 {
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

func (anthropicMessages) reader(r llm.Request) answerReader {
	return &anthropicReader{text: newText(r.OnText), asText: r.Schema != nil}
}

// block is one piece of a message's content.
type block struct {
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

// message is a whole answer.
type message struct {
	Model   string          `json:"model"`
	Content []block         `json:"content"`
	Stop    string          `json:"stop_reason"`
	Usage   anthropicUsage  `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// anthropicEvent is one event of a stream.
type anthropicEvent struct {
	Type    string  `json:"type"`
	Index   int     `json:"index"`
	Message message `json:"message"`
	Block   block   `json:"content_block"`
	Delta   struct {
		Text string `json:"text"`
		JSON string `json:"partial_json"`
		Stop string `json:"stop_reason"`
	} `json:"delta"`
	Usage anthropicUsage  `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// anthropicReader gathers an answer.
type anthropicReader struct {
	text   *text
	asText bool // the tool's arguments are the answer's text
	calls  calls
	reply  llm.Response
	done   bool
}

func (a *anthropicReader) whole(body []byte) error {
	var m message
	if err := decode(body, &m); err != nil {
		return err
	}
	if len(m.Error) > 0 {
		return errorObject(m.Error)
	}
	if m.Stop == "" && len(m.Content) == 0 {
		return errNoChoice
	}
	a.start(m)
	a.stop(m.Stop)
	for i, b := range m.Content {
		switch b.Type {
		case "text":
			a.text.write(b.Text)
		case "tool_use":
			a.call(i, b.ID, b.Name, string(b.Input))
		}
	}
	a.done = true
	return nil
}

func (a *anthropicReader) event(data []byte) (bool, error) {
	var e anthropicEvent
	if err := decode(data, &e); err != nil {
		return false, err
	}
	switch e.Type {
	case "error":
		return false, errorObject(e.Error)
	case "message_start":
		a.start(e.Message)
	case "content_block_start":
		a.text.write(e.Block.Text)
		if e.Block.Type == "tool_use" {
			a.call(e.Index, e.Block.ID, e.Block.Name, "")
		}
	case "content_block_delta":
		a.text.write(e.Delta.Text)
		if e.Delta.JSON != "" {
			a.call(e.Index, "", "", e.Delta.JSON)
		}
	case "message_delta":
		a.stop(e.Delta.Stop)
		a.reply.Usage.Output = max(a.reply.Usage.Output, e.Usage.Output)
	case "message_stop":
		a.done = true
	}
	return a.done, nil
}

func (a *anthropicReader) start(m message) {
	a.reply.Model = m.Model
	a.reply.Usage = llm.Usage{Input: m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite, Output: m.Usage.Output}
}

func (a *anthropicReader) call(index int, id, name, arguments string) {
	if a.asText {
		a.text.write(arguments)
		return
	}
	a.calls.add(index, id, name, arguments)
}

// stop translates why an answer ended.
func (a *anthropicReader) stop(reason string) {
	switch reason {
	case "end_turn", "stop_sequence":
		a.reply.Stop = "stop"
	case "max_tokens":
		a.reply.Stop = "length"
	case "tool_use":
		a.reply.Stop = "tool_calls"
		if a.asText {
			a.reply.Stop = "stop"
		}
	default:
		a.reply.Stop = reason
	}
}

func (a *anthropicReader) ended() bool { return a.done }

func (a *anthropicReader) answer() llm.Response {
	a.reply.Text, a.reply.ToolCalls = a.text.end(), a.calls.list()
	return a.reply
}
