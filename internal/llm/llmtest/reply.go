package llmtest

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Reply is the answer of a rule. Functions of this package make the usual ones,
// methods return changed copies.
type Reply struct {
	Text   string
	Pieces []string // the pieces in which a stream sends Text; nil means words
	Calls  []llm.ToolCall
	Usage  llm.Usage // zero means one token per word
	Stop   string    // "" means "stop", or "tool_calls" if there are calls

	Status  int // if not 0, Raw is the whole answer
	Headers map[string]string
	Raw     string // sent unchanged in place of an answer

	Vectors [][]float32 // of an embedding, in place of the Embedder's
	Order   []int       // in which an embedding lists its vectors

	compute func(Request) Reply
	gates   []<-chan struct{}
	each    <-chan struct{}
	cut     int
	drop    bool
}

// Say answers with a text.
func Say(text string) Reply { return Reply{Text: text} }

// JSON answers with a value written as JSON text.
func JSON(v any) Reply { return Say(string(encode(v))) }

// Call answers by calling a tool, which the request need not offer. Arguments
// are sent as JSON, or as they are when they are a string.
func Call(tool string, arguments any) Reply {
	return Reply{}.And(tool, arguments)
}

// And adds another tool call.
func (r Reply) And(tool string, arguments any) Reply {
	text, ok := arguments.(string)
	if !ok {
		text = string(encode(arguments))
	}
	id := "call_" + string(rune('a'+len(r.Calls)))
	r.Calls = append(slices.Clip(r.Calls), llm.ToolCall{ID: id, Name: tool, Arguments: text})
	return r
}

// Compute answers with f's reply to the request.
func Compute(f func(Request) Reply) Reply { return Reply{compute: f} }

// Fail answers with an HTTP status and an error message.
func Fail(status int, message string) Reply {
	return Reply{Status: status, Raw: string(encode(map[string]any{"error": map[string]any{"message": message, "type": "scripted"}}))}
}

// Unauthorized answers 401.
func Unauthorized() Reply { return Fail(http.StatusUnauthorized, "Incorrect API key provided") }

// TooMany answers 429 with a Retry-After header, unless retryAfter is "".
func TooMany(retryAfter string) Reply {
	r := Fail(http.StatusTooManyRequests, "Rate limit reached")
	if retryAfter != "" {
		r.Headers = map[string]string{"Retry-After": retryAfter}
	}
	return r
}

// ServerError answers 500.
func ServerError() Reply { return Fail(http.StatusInternalServerError, "The server had an error") }

// HTML answers 200 with a web page.
func HTML() Reply {
	return Reply{Headers: map[string]string{"Content-Type": "text/html"}, Raw: "<!doctype html><title>Sign in</title><p>Please sign in."}
}

// BrokenJSON answers 200 with truncated JSON.
func BrokenJSON() Reply { return Reply{Raw: `{"choices":[{"message":{"role":"assi`} }

// Raw answers 200 with the given body.
func Raw(body string) Reply { return Reply{Raw: body} }

// Drop closes the connection without an answer.
func Drop() Reply { return Reply{drop: true} }

// CutAfter closes the connection of a stream after n pieces of text.
func (r Reply) CutAfter(n int) Reply { r.cut = n; return r }

// After delays the reply until a receive from gate succeeds.
func (r Reply) After(gate <-chan struct{}) Reply {
	r.gates = append(slices.Clip(r.gates), gate)
	return r
}

// EachAfter delays each piece of a stream until a receive from gate succeeds.
func (r Reply) EachAfter(gate <-chan struct{}) Reply { r.each = gate; return r }

// Using sets the reply's usage.
func (r Reply) Using(input, output int) Reply {
	r.Usage = llm.Usage{Input: input, Output: output}
	return r
}

// Keeping describes how many tokens of the input the provider had kept.
func (r Reply) Keeping(cached int) Reply { r.Usage.Cached = cached; return r }

// Ending sets the stop reason.
func (r Reply) Ending(stop string) Reply { r.Stop = stop; return r }

// Reordered answers an embedding with the vectors in another order, each with
// its right index.
func Reordered(order ...int) Reply { return Reply{Order: order} }

// Vectors answers any embedding with these vectors.
func Vectors(v ...[]float32) Reply { return Reply{Vectors: v} }

func (r Reply) writeRaw(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range r.Headers {
		w.Header().Set(name, value)
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	io.WriteString(w, r.Raw) //nolint:errcheck // a client that went away
}

// pieces returns the pieces in which a stream sends the text.
func (r Reply) pieces() []string {
	if len(r.Pieces) > 0 {
		return r.Pieces
	}
	return strings.SplitAfter(r.Text, " ")
}

func (r Reply) usage(q Request) llm.Usage {
	if r.Usage != (llm.Usage{}) {
		return r.Usage
	}
	u := llm.Usage{Input: len(strings.Fields(q.Text())), Output: len(strings.Fields(r.Text))}
	for _, c := range r.Calls {
		u.Output += len(strings.Fields(c.Arguments)) + 1
	}
	return u
}

func (r Reply) stop() string {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}
