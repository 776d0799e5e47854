package llm

import (
	"context"
	"encoding/json"
)

// Mode is a way to ask a model for structured data.
type Mode string

// The modes, the best first. ModeAuto stands for the best one that works.
const (
	ModeAuto   Mode = "auto"
	ModeTool   Mode = "tool"   // a tool that must be called
	ModeSchema Mode = "schema" // an answer in a JSON schema
	ModePrompt Mode = "prompt" // a prompt that describes the form
)

// Fitness finds the best mode of a model. It is safe for concurrent use.
type Fitness struct {
	chat Chat
	mode chan Mode // holds the mode, "" before the probe; empty while someone probes
}

// NewFitness returns the Fitness of a model. It probes the model in ModeAuto
// only; any other mode is the result.
func NewFitness(c Chat, m Mode) *Fitness {
	if m == ModeAuto {
		m = ""
	}
	f := &Fitness{chat: c, mode: make(chan Mode, 1)}
	f.mode <- m
	return f
}

// Mode returns the best mode that works. The first call probes the model while
// others wait. An error other than a feature that the server lacks is returned,
// and the next call probes again.
func (f *Fitness) Mode(ctx context.Context) (Mode, error) {
	var m Mode
	select {
	case m = <-f.mode:
	case <-ctx.Done():
		return "", Stopped(ctx.Err())
	}
	defer func() { f.mode <- m }()
	var err error
	if m == "" {
		m, err = f.probe(ctx)
	}
	return m, err
}

// probe returns "" with an error.
func (f *Fitness) probe(ctx context.Context) (Mode, error) {
	for _, try := range []struct {
		mode Mode
		test func(context.Context, Chat) (bool, error)
	}{{ModeTool, callsTools}, {ModeSchema, followsSchema}} {
		ok, err := try.test(ctx, f.chat)
		if err != nil && !declined(err) {
			return "", err
		}
		if ok {
			return try.mode, nil
		}
	}
	return ModePrompt, nil
}

// probeSchema asks for data of which there is one right answer.
var probeSchema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"the capital of France"}},"required":["city"],"additionalProperties":false}`)

const probeName = "report_city"

// callsTools reports whether the model calls a tool when forced to.
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

// followsSchema reports whether the model answers in a JSON schema.
func followsSchema(ctx context.Context, c Chat) (bool, error) {
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
