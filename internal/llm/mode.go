package llm

import (
	"context"
	"encoding/json"
	"sync"
)

// Mode is how a model is asked for structured data.
type Mode string

// The modes, the best first. Auto leaves the choice to a probe of the model.
const (
	ModeAuto   Mode = "auto"
	ModeTool   Mode = "tool"   // a tool that must be called
	ModeSchema Mode = "schema" // an answer bound to a JSON schema
	ModePrompt Mode = "prompt" // a plain text that asks for JSON
)

// Fitness finds out which mode a model is fit for, and remembers it. It is
// safe for concurrent use.
type Fitness struct {
	chat Chat
	turn chan struct{} // holds a token while nobody probes
	mu   sync.Mutex
	mode Mode
}

// NewFitness makes a Fitness of a model. Unless the mode is ModeAuto, it is
// taken as given and the model is not probed.
func NewFitness(c Chat, m Mode) *Fitness {
	f := &Fitness{chat: c, turn: make(chan struct{}, 1)}
	f.turn <- struct{}{}
	if m != ModeAuto {
		f.mode = m
	}
	return f
}

// Mode is the best mode that works. The first call probes the model, others
// wait for it; a fault other than a refused feature is an *Error and the next
// call probes again.
func (f *Fitness) Mode(ctx context.Context) (Mode, error) {
	if m := f.known(); m != "" {
		return m, nil
	}
	select {
	case <-f.turn:
		defer func() { f.turn <- struct{}{} }()
	case <-ctx.Done():
		return "", Stopped(ctx.Err())
	}
	if m := f.known(); m != "" {
		return m, nil
	}
	m, err := f.probe(ctx)
	if err == nil {
		f.mu.Lock()
		f.mode = m
		f.mu.Unlock()
	}
	return m, err
}

func (f *Fitness) known() Mode {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mode
}

func (f *Fitness) probe(ctx context.Context) (Mode, error) {
	for _, try := range []struct {
		mode Mode
		ask  func(context.Context, Chat) (bool, error)
	}{{ModeTool, callsTools}, {ModeSchema, keepsSchema}} {
		ok, err := try.ask(ctx, f.chat)
		if err != nil && !declined(err) {
			return "", err
		}
		if ok {
			return try.mode, nil
		}
	}
	return ModePrompt, nil
}

// The data that a probe asks for: small, with one answer only.
var probeSchema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"the capital of France"}},"required":["city"],"additionalProperties":false}`)

const probeName = "report_city"

// callsTools reports whether the model calls a tool that it must call.
func callsTools(ctx context.Context, c Chat) (bool, error) {
	answer, err := c.Complete(ctx, Request{
		Messages:  []Message{{Role: User, Text: "Report the capital of France by calling the tool."}},
		Tools:     []Tool{{Name: probeName, Description: "Reports a city.", Parameters: probeSchema}},
		ForceTool: probeName,
		MaxTokens: probeTokens,
		Prompt:    "probe-tool/1",
	})
	if err != nil {
		return false, err
	}
	for _, call := range answer.ToolCalls {
		if call.Name == probeName && hasCity(call.Arguments) {
			return true, nil
		}
	}
	return false, nil
}

// keepsSchema reports whether the model answers in JSON of a given schema.
func keepsSchema(ctx context.Context, c Chat) (bool, error) {
	answer, err := c.Complete(ctx, Request{
		Messages:  []Message{{Role: User, Text: "What is the capital of France?"}},
		Schema:    &Schema{Name: probeName, Schema: probeSchema},
		MaxTokens: probeTokens,
		Prompt:    "probe-schema/1",
	})
	return err == nil && hasCity(answer.Text), err
}

func hasCity(text string) bool {
	var v struct {
		City string `json:"city"`
	}
	return json.Unmarshal([]byte(text), &v) == nil && v.City != ""
}
