package answer

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// modelRewriter is a Rewriter over a model.
type modelRewriter struct{ caller }

var _ Rewriter = modelRewriter{}

var rewriteForm = llm.Form{
	Name:        "search_again",
	Description: "Searches the library for another wording of the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"the new wording"}},` +
		`"required":["query"],"additionalProperties":false}`),
}

// widerAfter is how many wordings are tried before the search becomes wider.
const widerAfter = 3

// Rewrite asks for a wording that was not tried. If the model has none, it returns
// the question itself for a wider search.
func (m modelRewriter) Rewrite(ctx context.Context, r RewriteRequest, emit Emit) (Rewrite, error) {
	next := Rewrite{How: ByModel}
	if len(r.Before) >= widerAfter {
		next.Wide = len(r.Before) - widerAfter + 1
	}
	found, _, err := m.ask(ctx, r.Asked, RoleRewrite, rewritingData(r), rewriteForm, func(said string) bool {
		next.Text = parseQuery(said)
		return next.Text != "" && !Repeats(next, r.Before)
	}, emit)
	if err == nil && !found {
		next = Rewrite{Text: r.Question, How: "the question itself, wider", Wide: next.Wide + 1}
	}
	return next, err
}

func rewritingData(r RewriteRequest) rewriteData {
	data := rewriteData{Question: prompts.Fence("question", r.Question)}
	var titles []string
	for _, b := range r.Before {
		data.Before = append(data.Before, prompts.Fence("wording", b.Text))
	}
	for _, p := range r.Found {
		if !slices.Contains(titles, p.Title) {
			titles = append(titles, p.Title)
		}
		if len(data.Found) < maxRejected {
			data.Found = append(data.Found, rejectedData{
				Title: prompts.Fence("title", p.Title), Text: prompts.Fence("beginning", beginning(p.Text)), Reason: prompts.Fence("reason", p.Reason),
			})
		}
	}
	data.Titles = prompts.Fence("titles", strings.Join(titles, "; "))
	return data
}

// maxRejected bounds the passages that a rewriter is told of.
const maxRejected = 8

// maxQuery bounds a model's wording, in code points.
const maxQuery = 400

// parseQuery returns the wording in a model's answer.
func parseQuery(said string) string {
	if v, _, err := llm.ReadJSON(said, isObject); err == nil {
		o, _ := v.(llm.Object)
		said = o.Text("query", "question", "rewrite", "text")
	}
	said = llm.Unwrap(said)
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return domain.Cut(strings.Trim(oneLine(line), "\"'`“”"), maxQuery)
}

// modelCondenser is a Condenser over a model.
type modelCondenser struct{ caller }

var (
	_ Condenser    = modelCondenser{}
	_ Understander = modelCondenser{}
)

var understandForm = llm.Form{
	Name:        "understand_question",
	Description: "Reports what the last question asks for, and its wording without the conversation before it.",
	Schema: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","description":"the question, understood alone"},` +
		`"asks_for":{"type":"string","enum":["` + strings.Join(intent.Says(), `","`) + `"]},` +
		`"about":{"type":"array","items":{"type":"string"},"description":"what to summarise, the two sides to compare, or the document to list from, in the words of the question; empty for all documents"},` +
		`"of":{"type":"string","description":"what to list: person, place, organisation, any, or a noun of the question; else empty"}},` +
		`"required":["question","asks_for","about","of"],"additionalProperties":false}`),
}

// Condense asks for the question in a form that needs no history. An empty answer
// leaves it unchanged.
func (m modelCondenser) Condense(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, error) {
	text, _, err := m.Understand(ctx, asked, history, emit)
	return text, err
}

// Understand implements Understander. An answer that is no object is a wording.
func (m modelCondenser) Understand(ctx context.Context, asked Asked, history []Exchange, emit Emit) (text string, ask *intent.Ask, err error) {
	data := condenseData{Question: prompts.Fence("question", asked.Question)}
	for _, e := range history {
		data.History = append(data.History, exchangeData{prompts.Fence("question", e.Question), prompts.Fence("answer", e.Answer)})
	}
	_, _, err = m.ask(ctx, asked, RoleCondense, data, understandForm, func(said string) bool {
		text, ask = parseQuery(said), parseAsk(said)
		return text != ""
	}, emit)
	return cmp.Or(text, asked.Question), ask, err
}

// parseAsk returns what a model says that a question asks for, nil if it does not.
func parseAsk(said string) *intent.Ask {
	o, _, ok := llm.ReadObject(said, "asks_for")
	if !ok {
		return nil
	}
	var about []string
	for _, v := range o.List("about") {
		about = append(about, llm.Scalar(v))
	}
	ask, ok := intent.Said(o.Text("asks_for"), about, o.Text("of"))
	if !ok {
		return nil
	}
	return &ask
}
