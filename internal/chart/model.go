package chart

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// ModelParams say which model specifies charts, in which words. Chat and
// Fitness are required.
type ModelParams struct {
	Chat    llm.Chat
	Fitness *llm.Fitness // how the model is asked for data
	Prompts *Prompts     // the program's own when nil
}

// ModelSpecifier is a specifier over a language model: by a tool, a JSON schema
// or a plain text, whichever the model is fit for.
func ModelSpecifier(p ModelParams) (Specifier, error) {
	if p.Chat == nil || p.Fitness == nil {
		return nil, errors.New("chart: the specifier has no model")
	}
	if p.Prompts == nil {
		own := DefaultPrompts()
		p.Prompts = &own
	}
	parsed, err := p.Prompts.parse()
	return modelSpecifier{p, parsed}, err
}

type modelSpecifier struct {
	ModelParams
	templates templates
}

var _ Specifier = modelSpecifier{}

var form = llm.Form{Name: "specify_chart", Description: "Gives the specification of the chart.", Schema: json.RawMessage(`{"type":"object","properties":{` +
	`"type":{"type":"string","enum":["bar","grouped_bar","stacked_bar","line","area","scatter","pie"]},` +
	`"title":{"type":"string"},` +
	`"unit":{"type":"string","description":"of the values, such as % or million EUR; empty for plain numbers"},` +
	`"x":{"type":"string","description":"title of the x axis"},` +
	`"y":{"type":"string","description":"title of the y axis"},` +
	`"points":{"type":"array","items":{"type":"object","properties":{` +
	`"series":{"type":"string","description":"name of the series; empty when there is one"},` +
	`"category":{"type":"string","description":"what the value belongs to; empty in a scatter"},` +
	`"x":{"type":"number","description":"of a scatter; else 0"},` +
	`"value":{"type":"number","description":"exactly as a passage says it"},` +
	`"passage":{"type":"integer","description":"number of the passage that says it; 0 for a count"},` +
	`"count":{"type":"integer","description":"number of the count; 0 for a value of a passage"}},` +
	`"required":["series","category","x","value","passage","count"],"additionalProperties":false}}},` +
	`"required":["type","title","unit","x","y","points"],"additionalProperties":false}`)}

// Specify asks once. An answer that is no specification is an
// *UnreadableError.
func (m modelSpecifier) Specify(ctx context.Context, r Request, emit Emit) (Specification, error) {
	mode, err := m.Fitness.Mode(ctx)
	if err != nil {
		return Specification{}, err
	}
	q, err := m.request(r, mode)
	if err != nil {
		return Specification{}, err
	}
	answer, err := m.Chat.Complete(ctx, q)
	if err != nil {
		return Specification{}, err
	}
	emit(domain.EventUsage, domain.Usage{
		Model: cmp.Or(answer.Model, m.Chat.Model()), Input: answer.Usage.Input, Output: answer.Usage.Output, Recorded: answer.Recorded,
	})
	s, err := ReadSpecification(form.Said(answer))
	if err != nil {
		return s, &UnreadableError{err.Error()}
	}
	return s, nil
}

func (m modelSpecifier) request(r Request, mode llm.Mode) (llm.Request, error) {
	system, err := render(m.templates.system, struct{ Plain, Counts bool }{mode == llm.ModePrompt, len(r.Evidence.Counts) > 0})
	if err != nil {
		return llm.Request{}, err
	}
	user, err := render(m.templates.user, shown(r))
	if err != nil {
		return llm.Request{}, err
	}
	q := llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Prompt:   "chart/" + m.Prompts.Version,
		Salt:     r.Salt,
		Owner:    llm.Owner{Workspace: string(r.Workspace), Run: string(r.Run)},
	}
	form.Shape(&q, mode)
	return q, nil
}

// shownPassage and shownCount are evidence under the number that a
// specification names it by.
type (
	shownPassage struct {
		domain.Passage
		Number int
	}
	shownCount struct {
		Counted
		Number int
	}
)

// shown is what the template of the task is filled in with.
func shown(r Request) any {
	data := struct {
		Question, Task, Before string
		Passages               []shownPassage
		Counts                 []shownCount
		Mistakes               []string
	}{Question: r.Question, Task: r.Task, Mistakes: r.Mistakes}
	for i, p := range r.Evidence.Passages {
		data.Passages = append(data.Passages, shownPassage{p, i + 1})
	}
	for i, c := range r.Evidence.Counts {
		data.Counts = append(data.Counts, shownCount{c, i + 1})
	}
	if r.Before != nil {
		if b, err := json.Marshal(r.Before); err == nil {
			data.Before = string(b)
		}
	}
	return data
}
