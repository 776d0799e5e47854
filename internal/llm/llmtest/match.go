package llmtest

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Match selects the requests of a rule or a count.
type Match func(Request) bool

// Any matches every chat request.
func Any(r Request) bool { return r.Kind != KindEmbedding }

// Embedding matches requests for vectors.
func Embedding(r Request) bool { return r.Kind == KindEmbedding }

// Prompt matches a chat request with the text in a message.
func Prompt(text string) Match {
	return func(r Request) bool {
		return Any(r) && slices.ContainsFunc(r.Messages, func(m llm.Message) bool { return strings.Contains(m.Text, text) })
	}
}

// LastMessage matches a chat request with the text in its last message.
func LastMessage(text string) Match {
	return func(r Request) bool { return Any(r) && strings.Contains(r.Last(), text) }
}

// Tool matches a chat request with a tool of that name.
func Tool(name string) Match {
	return func(r Request) bool { return slices.Contains(r.ToolNames(), name) }
}

// Schema matches a chat request with a JSON schema of that name.
func Schema(name string) Match {
	return func(r Request) bool { return r.Schema == name }
}

// Model matches a request to the model of that name.
func Model(name string) Match {
	return func(r Request) bool { return r.Model == name }
}

// Plain matches a chat request with neither tools nor a schema.
func Plain(r Request) bool { return Any(r) && len(r.Tools) == 0 && r.Schema == "" }

// All matches the requests that every one of ms matches.
func All(ms ...Match) Match {
	return func(r Request) bool {
		return !slices.ContainsFunc(ms, func(m Match) bool { return !m(r) })
	}
}
