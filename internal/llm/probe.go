package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Check is one line of what a test of the connection found.
type Check struct {
	What     string `json:"what"`
	OK       bool   `json:"ok"`
	Sentence string `json:"sentence"`
}

// Report is what a test of the connection found.
type Report struct {
	Checks    []Check `json:"checks"`
	Mode      Mode    `json:"mode,omitempty"`      // the best mode that the chat model is fit for; "" when it does not answer
	Dimension int     `json:"dimension,omitempty"` // numbers in a vector of the embedding model
}

// probeTokens leaves a model that thinks first the room to do so.
const probeTokens = 1024

// Probe tests what a chat model and an embedding model can do, in a handful of
// small calls, none of which is answered from a record; either may be nil. It
// never fails: what went wrong is in the report, in words.
func Probe(ctx context.Context, c Chat, e Embedder) Report {
	var r Report
	if c != nil {
		r.probeChat(ctx, fresh{c})
	}
	if e != nil {
		r.probeEmbedder(ctx, e)
	}
	return r
}

// fresh asks the model itself, past any record.
type fresh struct{ Chat }

func (c fresh) Complete(ctx context.Context, r Request) (Response, error) {
	r.Fresh = true
	return c.Chat.Complete(ctx, r)
}

func (r *Report) probeChat(ctx context.Context, c Chat) {
	answer, err := c.Complete(ctx, Request{
		Messages:  []Message{{Role: User, Text: "Say yes."}},
		MaxTokens: probeTokens,
		Prompt:    "probe/1",
	})
	r.reached(err)
	if err != nil {
		return
	}
	said := strings.TrimSpace(answer.Text) != ""
	r.add("answers", said, choose(said,
		fmt.Sprintf("The model %s answers.", c.Model()),
		fmt.Sprintf("The model %s answers with an empty text: it may need more room to think, or another chat template.", c.Model())))

	r.Mode = ModePrompt
	keeps := r.try(ctx, c, "JSON schema", keepsSchema,
		"It answers in JSON of a given form.",
		"It does not keep to a JSON schema.")
	if keeps {
		r.Mode = ModeSchema
	}
	if r.try(ctx, c, "tools", callsTools,
		"It calls tools: this is the best way to ask it for entities and verdicts.",
		"It does not call tools.") {
		r.Mode = ModeTool
	}
	if r.Mode == ModePrompt {
		r.add("plain text", said, "It is asked in plain text and its answers are read with care; a model that can call tools finds more.")
	}
}

// reached tells apart who did not answer: the server, or the model.
func (r *Report) reached(err error) {
	var fault *Error
	if err != nil && !errors.As(err, &fault) {
		fault = &Error{Fault: BadAnswer, Message: err.Error()}
	}
	switch {
	case fault == nil:
		r.add("server", true, "The server can be reached.")
		r.add("model known", true, "It knows the model.")
	case fault.Status == 0:
		r.add("server", false, fault.Message)
	case fault.Fault == BadRequest, fault.Fault == Misdirected && fault.Status >= 300:
		r.add("server", true, "The server can be reached.")
		r.add("model known", false, fault.Message)
	default:
		r.add("server", true, "The server can be reached.")
		r.add("answers", false, fault.Message)
	}
}

// try runs one test of a feature and adds its line.
func (r *Report) try(ctx context.Context, c Chat, what string, test func(context.Context, Chat) (bool, error), yes, no string) bool {
	ok, err := test(ctx, c)
	if err != nil && !declined(err) {
		no = err.Error()
	}
	r.add(what, ok, choose(ok, yes, no))
	return ok
}

func (r *Report) probeEmbedder(ctx context.Context, e Embedder) {
	vectors, err := e.Embed(ctx, []string{"The lighthouse keeper lit the lamp.", "Keepers of lighthouses light lamps."})
	if err != nil {
		r.add("embeddings", false, err.Error())
		return
	}
	r.Dimension = len(vectors[0])
	r.add("embeddings", true, fmt.Sprintf("The model %s makes vectors of %d numbers.", e.Model(), r.Dimension))
	if alike := cosine(vectors[0], vectors[1]); alike < 0.3 {
		r.add("meaning", false, fmt.Sprintf("Two sentences of the same meaning are only %.2f alike: this may not be an embedding model.", alike))
	}
}

// declined reports whether the server understood but does not offer what was
// asked. Some servers answer 500 then; only their words tell it from an outage.
func declined(err error) bool {
	var fault *Error
	if !errors.As(err, &fault) {
		return false
	}
	switch fault.Status {
	case 404:
		return false // the model is unknown, which says nothing of what it can do
	case 500:
		return strings.Contains(fault.Message, "support") || strings.Contains(fault.Message, "require")
	case 501:
		return true
	}
	return fault.Fault == BadRequest
}

func (r *Report) add(what string, ok bool, sentence string) {
	r.Checks = append(r.Checks, Check{What: what, OK: ok, Sentence: sentence})
}

func choose(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

// cosine is the cosine of the angle between two vectors of unit length.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return math.Min(sum, 1)
}
