package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

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

var _ Condenser = modelCondenser{}

// Condense asks for the question in a form that needs no history. An empty answer
// leaves it unchanged.
func (m modelCondenser) Condense(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, error) {
	data := condenseData{Question: prompts.Fence("question", asked.Question)}
	for _, e := range history {
		data.History = append(data.History, exchangeData{prompts.Fence("question", e.Question), prompts.Fence("answer", e.Answer)})
	}
	r, err := m.request(ctx, asked, RoleCondense, noData{}, data)
	if err != nil {
		return "", err
	}
	answer, err := llm.Ask(ctx, m.Chat, r, emit)
	if err != nil {
		return "", err
	}
	if text := parseQuery(answer.Text); text != "" {
		return text, nil
	}
	return asked.Question, nil
}
