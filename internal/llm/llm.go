// Package llm defines how the program calls chat and embedding models. Adapters
// are in child packages; retry, rate limit and recording are decorators.
package llm

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
)

// Chat is a model that continues a conversation.
type Chat interface {
	// Complete sends the request and returns the whole answer. It passes the text to r.OnText, unless
	// nil, in order as it arrives, and calls r.OnAnew if the text so far turns out to be a thought. A
	// stream that breaks off is an error. Errors are *Error.
	Complete(ctx context.Context, r Request) (Response, error)

	// Model returns the model's name, as recorded in the trace.
	Model() string
}

// Embedder turns texts into vectors.
type Embedder interface {
	// Embed returns a vector of unit length for each text, in the order of texts, which it does not
	// modify. Errors are *Error.
	Embed(ctx context.Context, texts []string) ([][]float32, error)

	// Model returns the model's name. Vectors of different models are not
	// comparable.
	Model() string
}

// around is a model whose calls go through a function.
type around struct {
	Chat
	complete func(context.Context, Request) (Response, error)
}

func (c around) Complete(ctx context.Context, r Request) (Response, error) { return c.complete(ctx, r) }

// aroundEmbedder is an embedding model whose calls go through a function.
type aroundEmbedder struct {
	Embedder
	embed func(context.Context, []string) ([][]float32, error)
}

func (e aroundEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, texts)
}

// Role is the author of a message.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is a message of a conversation.
type Message struct {
	Role       Role       `json:"role"`
	Text       string     `json:"text,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of the Assistant role
	ToolCallID string     `json:"tool_call_id,omitempty"` // of the ToolRole
	Images     []Image    `json:"images,omitempty"`       // shown by a User
}

// Image is a picture that a model is shown. A request is known by its hash.
type Image struct {
	Media string `json:"media"` // image/png or image/jpeg
	Hash  string `json:"hash"`
	Data  []byte `json:"-"`
}

// A Template renders the parts of a prompt.
type Template interface {
	Render(part string, data any) (string, error)
}

// Messages returns a system and a user message, each rendered from a part of a
// prompt.
func Messages(t Template, systemPart string, system any, userPart string, user any) ([]Message, error) {
	first, err := t.Render(systemPart, system)
	if err != nil {
		return nil, err
	}
	second, err := t.Render(userPart, user)
	return []Message{{Role: System, Text: first}, {Role: User, Text: second}}, err
}

// Tool is a function that a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// ToolCall is a model's call of a tool.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model sent them: usually JSON
}

// Request is a request to a model. Key hashes the fields that have a JSON name,
// and Salt.
type Request struct {
	Messages    []Message `json:"messages"`
	Tools       []Tool    `json:"tools,omitempty"`
	ForceTool   string    `json:"force_tool,omitempty"` // the tool that must be called; "" for the model's choice
	Schema      *Schema   `json:"schema,omitempty"`
	MaxTokens   int       `json:"max_tokens,omitempty"` // 0 leaves it to the server
	Temperature float64   `json:"temperature"`
	Prompt      string    `json:"prompt,omitempty"` // name and version of the template, such as "grade/1"

	OnText     func(text string)  `json:"-"`
	OnAnew     func()             `json:"-"` // the text passed to OnText is void, and the answer begins again
	OnProgress func(received int) `json:"-"` // receives the bytes of a stream so far
	Stream     bool               `json:"-"` // the answer is streamed although nobody reads its text, to report progress and stop at repetition
	Salt       string             `json:"-"` // changes the key, so that a recorded request is sent again
	Fresh      bool               `json:"-"` // bypasses the record
	Owner      domain.CallOwner   `json:"-"` // the record is deleted with it
}

// Response is a model's answer.
type Response struct {
	Text      string     `json:"text"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Stop      string     `json:"stop"` // why it ended
	Refusal   string     `json:"refusal,omitempty"`
	Usage     Usage      `json:"usage"`
	Model     string     `json:"model"`
	Recorded  bool       `json:"-"` // from the record: it cost nothing
}

// Usage counts tokens.
type Usage struct {
	Input  int `json:"input"`
	Cached int `json:"cached,omitempty"` // part of Input that the provider had kept from an earlier call
	Output int `json:"output"`
}

// Ask makes one call and emits its usage. Before a call whose text is streamed it emits
// an estimate of what is sent: that takes long enough to be watched.
func Ask(ctx context.Context, c Chat, r Request, emit func(kind string, payload any)) (Response, error) {
	if r.OnText != nil {
		emit(domain.EventAsked, domain.Usage{Model: c.Model(), Input: estimate(texts(r))})
	}
	answer, err := c.Complete(ctx, r)
	if err != nil {
		return answer, err
	}
	emit(domain.EventUsage, domain.Usage{
		Model: cmp.Or(answer.Model, c.Model()), Input: answer.Usage.Input, Cached: answer.Usage.Cached, Output: answer.Usage.Output, Recorded: answer.Recorded,
	})
	return answer, nil
}

func texts(r Request) []string {
	all := make([]string, len(r.Messages))
	for i, m := range r.Messages {
		all[i] = m.Text
	}
	return all
}
