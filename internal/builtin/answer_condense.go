package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// condenser replaces pronouns with names.
type condenser struct{ Graph }

var _ answer.Condenser = condenser{}

// Condense completes a question that continues the one before it, and replaces its
// pronouns with the names mentioned last. A question that says all stays as it is.
func (c condenser) Condense(ctx context.Context, asked answer.Asked, history []answer.Exchange, _ answer.Emit) (string, error) {
	names := spokenOf(history)
	people, err := c.people(ctx, asked.Workspace, names)
	if err != nil {
		return "", err
	}
	before := ""
	for i, e := range history { // each of which may continue the one before it
		before = withNames(completed(e.Question, before), spokenOf(append(slices.Clone(history[:i]), answer.Exchange{Question: e.Question})), people)
	}
	return withNames(completed(asked.Question, before), names, people), nil
}

// withNames replaces the pronouns of a question with names, of which the one
// mentioned last comes first.
func withNames(question string, names []string, people map[string]bool) string {
	text := []rune(question)
	tokens := prose.Tokens(question)
	for i, t := range slices.Backward(tokens) {
		if name := standsFor(tokens, i, names, people); name != "" {
			text = slices.Concat(text[:t.Span.Start], []rune(name), text[t.Span.End:])
		}
	}
	return string(text)
}

// standsFor returns the name mentioned last that the pronoun at i can refer to,
// or "".
func standsFor(tokens []prose.Token, i int, names []string, people map[string]bool) string {
	word := strings.ToLower(tokens[i].Text)
	person := pronounsOfPeople[word]
	if !person && !pronounsOfThings[word] {
		return ""
	}
	for _, n := range names {
		if people[n] == person {
			if possessive(word, tokens, i) {
				return n + "'s"
			}
			return n
		}
	}
	return ""
}

// possessive reports whether a pronoun is possessive: "her" is if a content
// word follows.
func possessive(word string, tokens []prose.Token, i int) bool {
	switch word {
	case "his", "its", "their", "hers":
		return true
	case "her":
		return i+1 < len(tokens) && tokens[i+1].Word && !prose.IsStopWord(tokens[i+1].Text)
	}
	return false
}

// spokenOf returns the names in the history, latest exchange first, each
// question before its answer.
func spokenOf(history []answer.Exchange) []string {
	var names []string
	for _, e := range slices.Backward(history) {
		for _, text := range []string{e.Question, e.Answer} {
			for _, n := range prose.Names(text) {
				if n.Kind == prose.Proper && !slices.Contains(names, n.Text) {
					names = append(names, n.Text)
				}
			}
		}
	}
	return names
}

// people reports which names are names of people, by the graph's labels or else
// by their form.
func (c condenser) people(ctx context.Context, w domain.WorkspaceID, names []string) (map[string]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	keys := make([]string, len(names))
	for i, n := range names {
		keys[i] = prose.Key(n)
	}
	entities, err := known(ctx, c.Graph, w, keys)
	if err != nil {
		return nil, err
	}
	people := map[string]bool{}
	for i, n := range names {
		people[n] = strings.Contains(keys[i], " ")
		for _, e := range entities {
			if e.Key == keys[i] && e.Label != domain.UnknownLabel {
				people[n] = e.Label == person
				break
			}
		}
	}
	return people, nil
}
