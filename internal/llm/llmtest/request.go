package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Kind is the endpoint of a request.
type Kind string

// The kinds of request.
const (
	KindChat      Kind = "chat"      // OpenAI's chat completions
	KindMessages  Kind = "messages"  // Anthropic's messages
	KindEmbedding Kind = "embedding" // OpenAI's embeddings
)

// Request is a request that the server received.
type Request struct {
	Kind      Kind
	Model     string
	Messages  []llm.Message // of a chat
	Tools     []llm.Tool
	ForceTool string
	Schema    string // name of the JSON schema
	Stream    bool
	Inputs    []string // of an embedding
	Path      string
	Query     url.Values
	Header    http.Header
	Body      []byte
}

// ToolNames returns the names of the tools.
func (r Request) ToolNames() []string {
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = t.Name
	}
	return names
}

// Last returns the text of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Text
}

// Text returns the text of all messages, separated by blank lines.
func (r Request) Text() string {
	texts := make([]string, len(r.Messages))
	for i, m := range r.Messages {
		texts[i] = m.Text
	}
	return strings.Join(texts, "\n\n")
}

// Field decodes a field of the request's JSON into v and reports whether it
// exists.
func (r Request) Field(name string, v any) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Body, &fields) != nil {
		return false
	}
	raw, ok := fields[name]
	return ok && json.Unmarshal(raw, v) == nil
}

// content is that of a message: a text, or a list of texts and pictures.
type content struct {
	text   string
	images []llm.Image
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, &c.text)
	}
	var parts []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		c.text += p.Text
		if media, data, is := strings.Cut(strings.TrimPrefix(p.Image.URL, "data:"), ";base64,"); is {
			decoded, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				return err
			}
			c.images = append(c.images, llm.Image{Media: media, Data: decoded})
		}
	}
	return nil
}

func readOpenAI(body []byte) (Request, error) {
	var b struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    llm.Role `json:"role"`
			Content content  `json:"content"`
			CallID  string   `json:"tool_call_id"`
			Calls   []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function llm.Tool `json:"function"`
		} `json:"tools"`
		Choice struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_choice"`
		Format struct {
			Schema struct {
				Name string `json:"name"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	err := json.Unmarshal(body, &b)
	r := Request{Kind: KindChat, Model: b.Model, Stream: b.Stream, ForceTool: b.Choice.Function.Name, Schema: b.Format.Schema.Name}
	for _, m := range b.Messages {
		message := llm.Message{Role: m.Role, Text: m.Content.text, Images: m.Content.images, ToolCallID: m.CallID}
		for _, c := range m.Calls {
			message.ToolCalls = append(message.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range b.Tools {
		r.Tools = append(r.Tools, t.Function)
	}
	return r, err
}

func readAnthropic(body []byte) (Request, error) {
	var b struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		System []struct {
			Text string `json:"text"`
		} `json:"system"`
		Messages []struct {
			Role    llm.Role `json:"role"`
			Content []struct {
				Type   string          `json:"type"`
				Text   string          `json:"text"`
				ID     string          `json:"id"`
				Name   string          `json:"name"`
				Input  json.RawMessage `json:"input"`
				CallID string          `json:"tool_use_id"`
				Result string          `json:"content"`
				Source struct {
					Media string `json:"media_type"`
					Data  []byte `json:"data"`
				} `json:"source"`
			} `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Choice struct {
			Name string `json:"name"`
		} `json:"tool_choice"`
	}
	err := json.Unmarshal(body, &b)
	r := Request{Kind: KindMessages, Model: b.Model, Stream: b.Stream, ForceTool: b.Choice.Name}
	for _, s := range b.System {
		r.Messages = append(r.Messages, llm.Message{Role: llm.System, Text: s.Text})
	}
	for _, m := range b.Messages {
		message := llm.Message{Role: m.Role}
		for _, c := range m.Content {
			switch c.Type {
			case "text":
				message.Text += c.Text
			case "image":
				message.Images = append(message.Images, llm.Image{Media: c.Source.Media, Data: c.Source.Data})
			case "tool_use":
				message.ToolCalls = append(message.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Input)})
			case "tool_result":
				r.Messages = append(r.Messages, llm.Message{Role: llm.ToolRole, Text: c.Result, ToolCallID: c.CallID})
			}
		}
		if message.Text != "" || len(message.ToolCalls) > 0 {
			r.Messages = append(r.Messages, message)
		}
	}
	for _, t := range b.Tools {
		r.Tools = append(r.Tools, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema})
	}
	return r, err
}

func readEmbedding(body []byte) (Request, error) {
	var b struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	err := json.Unmarshal(body, &b)
	return Request{Kind: KindEmbedding, Model: b.Model, Inputs: b.Input}, err
}
