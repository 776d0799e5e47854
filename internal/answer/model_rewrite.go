package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
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
	next := Rewrite{How: "the model's rewording"}
	if len(r.Before) >= widerAfter {
		next.Wide = len(r.Before) - widerAfter + 1
	}
	found, err := m.ask(ctx, r.Asked, "rewrite", rewriteData(r), rewriteForm, func(said string) bool {
		next.Text = parseQuery(said)
		return next.Text != "" && !Repeats(next, r.Before)
	}, emit)
	if err == nil && !found {
		next = Rewrite{Text: r.Question, How: "the question itself, wider", Wide: next.Wide + 1}
	}
	return next, err
}

func rewriteData(r RewriteRequest) any {
	data := struct {
		Question       string
		Before, Titles []string
	}{Question: r.Question}
	for _, b := range r.Before {
		data.Before = append(data.Before, b.Text)
	}
	for _, p := range r.Found {
		if !slices.Contains(data.Titles, p.Title) {
			data.Titles = append(data.Titles, p.Title)
		}
	}
	return data
}

// maxQuery bounds a model's wording, in code points.
const maxQuery = 400

// parseQuery returns the wording in a model's answer.
func parseQuery(said string) string {
	said = strings.TrimSpace(llm.WithoutThoughts(said))
	if o := object(said); o != nil {
		said, _ = o["query"].(string)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return domain.Cut(strings.Trim(oneLine(line), "\"'`“”"), maxQuery)
}

// modelCondenser is a Condenser over a model.
type modelCondenser struct{ caller }

var _ Condenser = modelCondenser{}

// Condense asks for the question in a form that needs no history. An empty answer
// leaves it unchanged.
func (m modelCondenser) Condense(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, error) {
	r, err := m.request(asked, "condense", plain{true}, struct {
		Question string
		History  []Exchange
	}{asked.Question, history})
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
