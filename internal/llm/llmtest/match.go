package llmtest

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Match says which requests a rule, or a count, is about.
type Match func(Request) bool

// Any matches every chat request.
func Any(r Request) bool { return r.Kind != KindEmbedding }

// Embedding matches requests for vectors.
func Embedding(r Request) bool { return r.Kind == KindEmbedding }

// Prompt matches a chat request in one of whose messages the text occurs.
func Prompt(text string) Match {
	return func(r Request) bool {
		return Any(r) && slices.ContainsFunc(r.Messages, func(m llm.Message) bool { return strings.Contains(m.Text, text) })
	}
}

// LastMessage matches a chat request in whose last message the text occurs.
func LastMessage(text string) Match {
	return func(r Request) bool { return Any(r) && strings.Contains(r.Last(), text) }
}

// Tool matches a chat request that offers a tool of that name.
func Tool(name string) Match {
	return func(r Request) bool { return slices.Contains(r.ToolNames(), name) }
}

// Schema matches a chat request for an answer in a JSON schema of that name.
func Schema(name string) Match {
	return func(r Request) bool { return r.Schema == name }
}

// Model matches a request to the model of that name.
func Model(name string) Match {
	return func(r Request) bool { return r.Model == name }
}

// Plain matches a chat request with neither tools nor a schema.
func Plain(r Request) bool { return Any(r) && len(r.Tools) == 0 && r.Schema == "" }

// All matches what every one of ms matches.
func All(ms ...Match) Match {
	return func(r Request) bool {
		return !slices.ContainsFunc(ms, func(m Match) bool { return !m(r) })
	}
}
