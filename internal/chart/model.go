package chart

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

//go:embed prompts/chart.tmpl
var builtinText string

const promptRole = "chart"

// Prompt returns the prompt of the specifier.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: promptRole, About: "Specifies a chart: its type, and points with the numbers of passages.", Version: "2", Builtin: builtinText,
		Parts: prompts.Message(systemData{}, userData{}, "the task and its material"),
	}
}

type systemData struct {
	Plain  bool `about:"the model is asked in plain text, without a form, so the message must say how to answer"`
	Counts bool `about:"there are counts of the graph"`
}

type userData struct {
	Question prompts.Outside   `about:"the question that the chart helps to answer"`
	Task     prompts.Outside   `about:"what to show" need:"yes"`
	Passages []passageData     `about:"the passages whose numbers may be shown"`
	Counts   []countData       `about:"counts of the graph, if any"`
	Before   prompts.Outside   `about:"the specification of the last attempt, if any"`
	Mistakes []prompts.Outside `about:"what is wrong with it" need:"yes"`
}

type passageData struct {
	Number   int             `about:"the number by which a point names the passage" need:"yes"`
	Title    prompts.Outside `about:"title of its document"`
	Page     string          `about:"its page, or its pages, if any"`
	Headings prompts.Outside `about:"the headings above it, if any"`
	Text     prompts.Outside `about:"the passage" need:"yes"`
}

type countData struct {
	Number int             `about:"the number by which a point names the count" need:"yes"`
	Of     string          `about:"what was counted"`
	Key    prompts.Outside `about:"the name counted" need:"yes"`
	Value  int             `about:"the count" need:"yes"`
}

// ModelSpecifier returns a specifier over a language model, called by tool,
// JSON schema or plain text, whichever fitness recommends.
func ModelSpecifier(chat llm.Chat, fitness *llm.Fitness, book *prompts.Book) Specifier {
	return modelSpecifier{chat, fitness, book}
}

type modelSpecifier struct {
	chat    llm.Chat
	fitness *llm.Fitness
	prompts *prompts.Book
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

func (m modelSpecifier) Specify(ctx context.Context, r Request, emit Emit) (s Specification, err error) {
	note := func(sentence string) { emit(domain.EventNote, domain.Note{Text: sentence}) }
	err = m.fitness.Ask(ctx, note, func(mode llm.Mode) error {
		q, err := m.request(ctx, r, mode)
		if err != nil {
			return err
		}
		answer, err := llm.Ask(ctx, m.chat, q, emit)
		if err != nil {
			return err
		}
		if err := answer.Unusable(); err != nil {
			return err
		}
		if s, err = ParseSpecification(form.Output(answer)); err != nil {
			return &UnreadableError{cmp.Or(strings.TrimSuffix(answer.Cut(), "."), err.Error())}
		}
		return nil
	})
	return s, err
}

func (m modelSpecifier) request(ctx context.Context, r Request, mode llm.Mode) (llm.Request, error) {
	text, err := m.prompts.Text(ctx, r.Workspace, promptRole, r.Prompts)
	if err != nil {
		return llm.Request{}, err
	}
	messages, err := llm.Messages(text, prompts.SystemPart, systemData{mode == llm.ModePrompt, len(r.Evidence.Counts) > 0}, prompts.UserPart, promptData(r))
	q := llm.Request{
		Messages: messages,
		Prompt:   promptRole + "/" + text.Version,
		Salt:     r.Salt,
		Owner:    domain.CallOwner{Workspace: r.Workspace, Run: r.Run},
	}
	form.Apply(&q, mode)
	return q, err
}

// promptData returns the data of the user message.
func promptData(r Request) userData {
	data := userData{Question: prompts.Fence("question", r.Question), Task: prompts.Fence("task", r.Task)}
	for i, p := range r.Evidence.Passages {
		data.Passages = append(data.Passages, passageData{
			Number: i + 1, Title: prompts.Fence("title", p.Title), Page: p.PagesOf(p.Span),
			Headings: prompts.Fence("headings", strings.Join(p.Headings, " / ")), Text: prompts.Fence("passage", p.Text),
		})
	}
	for i, c := range r.Evidence.Counts {
		data.Counts = append(data.Counts, countData{Number: i + 1, Of: c.Of, Key: prompts.Fence("key", c.Key), Value: c.Value})
	}
	data.Mistakes = lists.Map(r.Mistakes, func(m string) prompts.Outside { return prompts.Fence("mistake", m) })
	if r.Before != nil {
		if b, err := json.Marshal(r.Before); err == nil {
			data.Before = prompts.Fence("specification", string(b))
		}
	}
	return data
}
