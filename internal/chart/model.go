package chart

import (
	"context"
	"embed"
	"encoding/json"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// promptVersion changes with the words of a prompt: recorded answers are kept
// by version.
const promptVersion = "2"

var prompts = template.Must(template.New("").Funcs(llm.PromptFunctions()).ParseFS(promptFiles, "prompts/*.tmpl"))

// ModelSpecifier returns a specifier over a language model, called by tool,
// JSON schema or plain text, whichever fitness recommends.
func ModelSpecifier(chat llm.Chat, fitness *llm.Fitness, fences llm.Fences) Specifier {
	return modelSpecifier{chat, fitness, fences}
}

type modelSpecifier struct {
	chat    llm.Chat
	fitness *llm.Fitness
	fences  llm.Fences
}

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

func (m modelSpecifier) Specify(ctx context.Context, r Request, emit Emit) (Specification, error) {
	mode, err := m.fitness.Mode(ctx)
	if err != nil {
		return Specification{}, err
	}
	q, err := m.request(r, mode)
	if err != nil {
		return Specification{}, err
	}
	answer, err := llm.Ask(ctx, m.chat, q, emit)
	if err != nil {
		return Specification{}, err
	}
	s, err := ParseSpecification(form.Output(answer))
	if err != nil {
		return s, &UnreadableError{err.Error()}
	}
	return s, nil
}

func (m modelSpecifier) request(r Request, mode llm.Mode) (llm.Request, error) {
	system, err := m.fences.Render(prompts, "specify.tmpl", struct{ Plain, Counts bool }{mode == llm.ModePrompt, len(r.Evidence.Counts) > 0})
	if err != nil {
		return llm.Request{}, err
	}
	user, err := m.fences.Render(prompts, "specify_user.tmpl", promptData(r))
	if err != nil {
		return llm.Request{}, err
	}
	q := llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}},
		Prompt:   "chart/" + promptVersion,
		Salt:     r.Salt,
		Owner:    domain.CallOwner{Workspace: r.Workspace, Run: r.Run},
	}
	form.Apply(&q, mode)
	return q, nil
}

type (
	numberedPassage struct {
		domain.Passage
		Number int
	}
	numberedCount struct {
		GraphCount
		Number int
	}
)

// promptData returns the data of the template specify_user.
func promptData(r Request) any {
	data := struct {
		Question, Task, Before string
		Passages               []numberedPassage
		Counts                 []numberedCount
		Mistakes               []string
	}{Question: r.Question, Task: r.Task, Mistakes: r.Mistakes}
	for i, p := range r.Evidence.Passages {
		data.Passages = append(data.Passages, numberedPassage{p, i + 1})
	}
	for i, c := range r.Evidence.Counts {
		data.Counts = append(data.Counts, numberedCount{c, i + 1})
	}
	if r.Before != nil {
		if b, err := json.Marshal(r.Before); err == nil {
			data.Before = string(b)
		}
	}
	return data
}
