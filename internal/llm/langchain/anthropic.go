package langchain

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// anthropic speaks Anthropic's messages.
type anthropic struct{ model string }

// anthropicTokens bounds an answer when the request does not: the protocol
// demands a number.
const anthropicTokens = 4096

// object is a JSON object to be sent.
type object = map[string]any

// request asks for an answer in a schema by a tool that must be called: the protocol has
// no other way. It asks the server to keep what calls of a role have in common, the
// tools and the system messages, which it reads in this order: the mark is ignored on
// texts too short to be worth it.
func (p anthropic) request(r llm.Request) (path string, body map[string]any, err error) {
	system, messages := turns(r.Messages)
	body = object{"model": p.model, "messages": messages, "max_tokens": cmp.Or(r.MaxTokens, anthropicTokens), "temperature": r.Temperature}
	tools := make([]object, 0, len(r.Tools))
	for _, t := range r.Tools {
		tools = append(tools, object{"name": t.Name, "description": t.Description, "input_schema": t.Parameters})
	}
	force := r.ForceTool
	if r.Schema != nil {
		force = r.Schema.Name
		tools = []object{{"name": force, "description": "Gives the answer.", "input_schema": r.Schema.Schema}}
	}
	if force != "" {
		body["tool_choice"] = object{"type": "tool", "name": force}
	}
	kept := object{"type": "ephemeral"}
	if system != "" {
		body["system"] = []object{{"type": "text", "text": system, "cache_control": kept}}
	} else if len(tools) > 0 {
		tools[len(tools)-1]["cache_control"] = kept
	}
	if len(tools) > 0 {
		body["tools"] = tools
	}
	return "/messages", body, nil
}

// A turn is everything that one side says before the other speaks.
type turn struct {
	Role    string   `json:"role"`
	Content []object `json:"content"`
}

// turns joins the system messages, and consecutive messages of the same side. Arguments that are not a JSON object
// can't be sent and are replaced by an empty one.
func turns(messages []llm.Message) (system string, all []turn) {
	var systems []string
	for _, m := range messages {
		role, content := "user", []object(nil)
		switch {
		case m.Role == llm.System:
			systems = append(systems, m.Text)
			continue
		case m.Role == llm.ToolRole:
			content = []object{{"type": "tool_result", "tool_use_id": m.ToolCallID, "content": m.Text}}
		case m.Text != "" || len(m.ToolCalls) == 0:
			content = []object{{"type": "text", "text": m.Text}}
		}
		for _, i := range m.Images {
			content = append(content, object{"type": "image", "source": object{"type": "base64", "media_type": i.Media, "data": i.Data}})
		}
		if m.Role == llm.Assistant {
			role = "assistant"
		}
		for _, c := range m.ToolCalls {
			var input map[string]json.RawMessage
			if json.Unmarshal([]byte(c.Arguments), &input) != nil || input == nil {
				input = map[string]json.RawMessage{}
			}
			content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": input})
		}
		if n := len(all); n > 0 && all[n-1].Role == role {
			all[n-1].Content = append(all[n-1].Content, content...)
		} else {
			all = append(all, turn{role, content})
		}
	}
	return strings.Join(systems, "\n\n"), all
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

func (anthropic) whole(a *answer, body []byte) error {
	var m anthropicMessage
	if err := decode(body, &m); err != nil {
		return err
	}
	a.start(m)
	for i, b := range m.Content {
		switch b.Type {
		case "text":
			a.write(b.Text)
		case "tool_use":
			a.toolUse(i, b, string(b.Input))
		}
	}
	a.stop(m.Stop)
	return nil
}

func (anthropic) event(a *answer, data []byte) (bool, error) {
	var e struct {
		Type    string           `json:"type"`
		Index   int              `json:"index"`
		Message anthropicMessage `json:"message"`
		Block   anthropicBlock   `json:"content_block"`
		Delta   struct {
			Text     string `json:"text"`
			Thoughts string `json:"thinking"`
			JSON     string `json:"partial_json"`
			Stop     string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}
	if err := decode(data, &e); err != nil {
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
		a.receive(e.Delta.Thoughts)
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
