package llm

import (
	"context"
	"encoding/json"
	"fmt"
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

// Fitness finds the best mode of a model, and the next one when the model stops
// accepting it. It is safe for concurrent use.
type Fitness struct {
	chat    Chat
	auto    bool
	changed func(sentence string)
	found   chan fit // empty while somebody probes
}

// fit is the outcome of the probes so far.
type fit struct {
	mode   Mode // "" before the first probe
	probes int
}

// attempts is how many modes one request is tried in: a server that changes its
// mind more often is not at work on it.
const attempts = 3

// NewFitness returns the Fitness of a model. It probes the model in ModeAuto
// only; any other mode is the result. It calls changed, unless nil, with a
// sentence each time the mode changes after the first probe.
func NewFitness(c Chat, m Mode, changed func(sentence string)) *Fitness {
	f := &Fitness{chat: c, auto: m == ModeAuto, changed: changed, found: make(chan fit, 1)}
	if f.auto {
		f.found <- fit{}
	} else {
		f.found <- fit{m, 1}
	}
	return f
}

// Ask calls ask with the best mode that works. If the model declines the request,
// it is probed again, once for all calls that were under way, and when another
// mode is the best, note, unless nil, gets a sentence, and ask is called with that
// mode. Ask returns its error.
func (f *Fitness) Ask(ctx context.Context, note func(sentence string), ask func(Mode) error) error {
	now, err := f.find(ctx, 0)
	for range attempts {
		if err != nil {
			return err
		}
		if err = ask(now.mode); !f.auto || !declined(err) {
			return err
		}
		next, failed := f.find(ctx, now.probes)
		if failed != nil {
			return failed
		}
		if next.mode == now.mode {
			return err
		}
		if note != nil {
			note(f.sentence(now.mode, next.mode))
		}
		now, err = next, nil
	}
	return err
}

// find probes the model unless it was probed more than before times. Other callers wait meanwhile. An error other than
// a missing feature of the server is returned, and the next call probes again.
func (f *Fitness) find(ctx context.Context, before int) (fit, error) {
	var known fit
	select {
	case known = <-f.found:
	case <-ctx.Done():
		return fit{}, Stopped(ctx.Err())
	}
	defer func() { f.found <- known }()
	if known.probes > before {
		return known, nil
	}
	if IsOnlyRecorded(ctx) { // recorded answers say nothing new about the model
		m, err := f.probe(ctx, false)
		return fit{m, known.probes}, err
	}
	m, err := f.probe(ctx, known.mode != "")
	if err != nil {
		return fit{}, err
	}
	if known.mode != "" && known.mode != m && f.changed != nil {
		f.changed(f.sentence(known.mode, m))
	}
	known = fit{m, known.probes + 1}
	return known, nil
}

func (f *Fitness) sentence(from, to Mode) string {
	return fmt.Sprintf("The model %s no longer accepts requests in the mode %s. From now on it is asked in the mode %s.", f.chat.Model(), from, to)
}

// probe returns "" with an error.
func (f *Fitness) probe(ctx context.Context, again bool) (Mode, error) {
	c := f.chat
	if again { // the record shows what the model could do
		c = Fresh(c)
	}
	for _, try := range []struct {
		mode Mode
		test func(context.Context, Chat) (bool, error)
	}{{ModeTool, callsTools}, {ModeSchema, followsSchema}} {
		ok, err := try.test(ctx, c)
		if err != nil && !declined(err) && !Unrecorded(err) {
			return "", err
		}
		if ok {
			return try.mode, nil
		}
	}
	return ModePrompt, nil
}

// probeSchema asks for data with a single right answer.
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
	return hasCity(Form{Name: probeName}.Output(answer)), nil
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
	o, whole, _ := ReadObject(text, "city")
	return whole && o.Text("city") != ""
}
