package study

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/summarize"
)

//go:embed prompts/study.tmpl
var builtinText string

// The prompt and its parts.
const (
	promptRole  = "study"
	itemsPart   = "items"
	userMessage = "_user" // ends the name of the part with the text
)

// Limits of a model's answer about one part: items, and code points of each side of an item.
const (
	mostOfPart = 8
	maxFront   = 300
	maxBack    = 1000
)

// Prompt returns the prompt of the role.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: promptRole, About: "Finds terms, questions and cards in each part of the documents, for study sets.", Version: "1", Builtin: builtinText,
		Parts: []prompts.Part{
			{Name: itemsPart, About: "the instructions for one part", System: true, Data: instructions{}},
			{Name: itemsPart + userMessage, About: "the part", Data: passageData{}},
		},
	}
}

type instructions struct {
	Kind string `about:"what is wanted: glossary, faq or cards"`
	Most int    `about:"the most items to list"`
}

type passageData struct {
	Text prompts.Outside `about:"the text of the part" need:"yes"`
}

// ModelMaker returns a maker over a language model. A prompt holds only the part's text and the kind, so that a recorded answer
// serves every set of the kind with the part.
func ModelMaker(chat llm.Chat, book *prompts.Book) Maker { return modelMaker{chat, book} }

type modelMaker struct {
	chat    llm.Chat
	prompts *prompts.Book
}

// Make keeps the items whose sentence occurs in the part.
func (m modelMaker) Make(ctx context.Context, r Request, warn func(string), emit summarize.Emit) ([]Item, error) {
	text, err := m.prompts.Text(ctx, r.Workspace, promptRole, r.Prompts)
	if err != nil {
		return nil, err
	}
	messages, err := llm.Messages(text, itemsPart, instructions{string(r.Kind), mostOfPart}, itemsPart+userMessage, passageData{prompts.Fence("passage", r.Text)})
	if err != nil {
		return nil, err
	}
	said, err := llm.Ask(ctx, m.chat, llm.Request{Messages: messages, Prompt: itemsPart + "/" + text.Version, Salt: r.Salt, Owner: domain.CallOwner{Workspace: r.Workspace, Document: r.Part.Document}}, emit)
	if err != nil {
		return nil, err
	}
	if err := said.Unusable(); err != nil {
		return nil, err
	}
	if cut := said.Cut(); cut != "" {
		warn(cut)
	}
	items, err := parse(llm.Unwrap(said.Text))
	if err != nil {
		return nil, err
	}
	return accepted(r, items), nil
}

// said is an item in a model's answer.
type said struct{ front, back, sentence string }

// parse reads the list of a model's answer.
func parse(text string) ([]said, error) {
	v, _, err := llm.ReadJSON(text, func(v any) bool {
		switch v := v.(type) {
		case []any:
			return len(v) == 0 || isItem(v[0])
		case llm.Object:
			return v.Has("items") || isItem(v)
		}
		return false
	})
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The model's answer is not the list that was asked for.")
	}
	list, ok := v.([]any)
	if o, isObject := v.(llm.Object); isObject && o.Has("items") {
		list = o.List("items")
	} else if !ok {
		list = []any{v}
	}
	var items []said
	for _, one := range list {
		if o, ok := one.(llm.Object); ok {
			items = append(items, said{o.Text("front"), o.Text("back"), o.Text("sentence")})
		}
	}
	return items, nil
}

func isItem(v any) bool {
	o, ok := v.(llm.Object)
	return ok && o.Has("front")
}

// accepted returns the items supported by a sentence of the part, with its place. The words of a term must occur in the
// part, and some of the words of the back in the sentence.
func accepted(r Request, list []said) (items []Item) {
	whole := " " + strings.Join(prose.Terms(r.Text), " ") + " "
	for _, s := range list {
		span, ok := locate(r.Text, s.sentence)
		if len(items) == mostOfPart || !ok || s.front == "" || s.back == "" || domain.Runes(s.front) > maxFront || domain.Runes(s.back) > maxBack {
			continue
		}
		if terms := prose.Terms(s.front); r.Kind == domain.Glossary && !strings.Contains(whole, " "+strings.Join(terms, " ")+" ") {
			continue
		}
		if !sharesTerm(s.back, span.Slice(r.Text)) {
			continue
		}
		items = append(items, Item{Front: s.front, Back: s.back, Span: span.Shift(r.Part.Span.Start), Worth: mostOfPart - len(items)})
	}
	return items
}

func sharesTerm(a, b string) bool {
	has := lists.Set(prose.Terms(b))
	return slices.ContainsFunc(prose.Terms(a), func(t string) bool { return has[t] })
}

// fewestQuoted is how many words a quotation needs to be looked for.
const fewestQuoted = 3

// locate returns the sentences of a text that a quotation is from.
func locate(text, quotation string) (domain.Span, bool) {
	whole, found := prose.Quote(text, quotation)
	if !found || len(prose.Words(quotation)) < fewestQuoted {
		return domain.Span{}, false
	}
	quoted := whole
	for _, s := range prose.Sentences(text) {
		if s.Overlaps(quoted) {
			whole = domain.Span{Start: min(whole.Start, s.Start), End: max(whole.End, s.End)}
		}
	}
	return whole, true
}
