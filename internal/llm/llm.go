// Package llm is the contract of language models: chat and embeddings. The
// program speaks to every model through it; adapters live in child packages,
// and retry, rate limit and recording are decorators over it.
package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Chat is a model that answers a conversation.
type Chat interface {
	// Complete sends the request and returns the whole answer. When
	// r.OnText is set, it receives the text as it arrives, in order, from
	// one goroutine; the returned Response holds the whole text all the same.
	// A stream that breaks off is an error. Errors are *Error.
	Complete(ctx context.Context, r Request) (Response, error)

	// Model is the name of the model that answers, as recorded in the trace.
	Model() string
}

// Embedder turns texts into vectors.
type Embedder interface {
	// Embed returns one unit-length vector a text, in the order of texts. It
	// does not change texts. Errors are *Error.
	Embed(ctx context.Context, texts []string) ([][]float32, error)

	// Model is the name of the embedding model; vectors of different models
	// are never compared.
	Model() string
}

// Role is who speaks a message.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role       Role       `json:"role"`
	Text       string     `json:"text,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an Assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a ToolRole
}

// Tool is a function that a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as sent by the model: JSON if all went well
}

// Request is what a model is asked. Its fields but OnText, Salt, Fresh and
// Owner make the key under which the answer is recorded.
type Request struct {
	Messages    []Message `json:"messages"`
	Tools       []Tool    `json:"tools,omitempty"`
	ForceTool   string    `json:"force_tool,omitempty"` // the tool that must be called; "" leaves the choice to the model
	Schema      *Schema   `json:"schema,omitempty"`
	MaxTokens   int       `json:"max_tokens,omitempty"` // 0 leaves it to the server
	Temperature float64   `json:"temperature"`
	Prompt      string    `json:"prompt,omitempty"` // name and version of the template, for instance "grade/1"

	OnText func(text string) `json:"-"`
	Salt   string            `json:"-"` // asks anew although the same request has been recorded
	Fresh  bool              `json:"-"` // asks the model itself: nothing is replayed, and nothing recorded
	Owner  domain.CallOwner  `json:"-"`
}

// Response is a model's answer.
type Response struct {
	Text      string     `json:"text"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Stop      string     `json:"stop"` // why it ended: "stop", "length", "tool_calls"
	Usage     Usage      `json:"usage"`
	Model     string     `json:"model"`
	Recorded  bool       `json:"-"` // came from the record, nothing was paid
}

// Usage counts tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Total is input and output together.
func (u Usage) Total() int { return u.Input + u.Output }

// Fault says what went wrong between here and the model.
type Fault string

// The faults.
const (
	Unreachable  Fault = "unreachable"   // no connection, or it broke off
	Refused      Fault = "refused"       // 401, 403: key or permission
	RateLimited  Fault = "rate limited"  // 429
	ServerFailed Fault = "server failed" // 5xx
	Misdirected  Fault = "misdirected"   // 404, a redirect, a web page: no such model, or no model at this address
	BadRequest   Fault = "bad request"   // another 4xx: context length, unsupported field
	BadAnswer    Fault = "bad answer"    // not JSON, not a completion, broken stream
	TimedOut     Fault = "timed out"
	Cancelled    Fault = "cancelled" // the caller gave up
)

// Error is a failed call, told in words that help the person who set the
// model up.
type Error struct {
	Fault   Fault
	Message string        // a sentence: which address, what it answered, what to check
	Status  int           // HTTP status, 0 when there was none
	After   time.Duration // before which the server asked not to be called again; 0 when it did not
	Err     error
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// As lets the error pass for a *domain.Error, which carries its sentence to the
// person who waits for the answer and tells domain.Temporary, domain.Away and
// domain.RetryAfter what they need.
func (e *Error) As(target any) bool {
	d, ok := target.(**domain.Error)
	if ok {
		*d = &domain.Error{Kind: e.kind(), Message: e.Message, Err: e, Retry: domain.Retry{After: e.After, Reachable: e.reachable()}}
	}
	return ok
}

// kind is Unavailable when the same call may succeed later, and Forbidden when
// the settings have to be changed first.
func (e *Error) kind() domain.Kind {
	switch e.Fault {
	case Unreachable, RateLimited, ServerFailed, TimedOut:
		return domain.Unavailable
	case Refused, Misdirected:
		return domain.Forbidden
	}
	return domain.Invalid
}

// reachable reports whether the model may answer another request now: a timeout
// and a failure inside the server may be due to the text that was sent.
func (e *Error) reachable() bool {
	switch e.Fault {
	case Unreachable, RateLimited:
		return false
	case ServerFailed:
		return e.Status == http.StatusInternalServerError
	}
	return true
}
