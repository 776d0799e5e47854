package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// rewriter climbs a ladder: names and aliases from the graph, then key terms
// alone, then wider and wider searches. It skips rungs that would repeat a
// search.
type rewriter struct{ Graph }

var _ answer.Rewriter = rewriter{}

// Rewrite returns the first rung of the ladder that has not been tried.
func (w rewriter) Rewrite(ctx context.Context, r answer.RewriteRequest, _ answer.Emit) (answer.Rewrite, error) {
	reading := readOnly(r.Question, r.Passages())
	names, err := w.names(ctx, r, reading)
	if err != nil {
		return answer.Rewrite{}, err
	}
	ladder := []answer.Rewrite{
		{Text: strings.Join(names, " "), How: "names and aliases from the graph"},
		{Text: strings.Join(reading.terms(), " "), How: "key terms alone"},
		{Text: strings.Join(fewer(reading.terms()), " "), How: "fewer of the key terms"},
		{Text: reading.text, How: "wider: more passages, more hops", Wide: len(r.Before)},
	}
	for _, next := range ladder[:len(ladder)-1] {
		used := slices.ContainsFunc(r.Before, func(b answer.Rewrite) bool { return b.How == next.How })
		if len(r.Before) < rungs && !used && next.Text != "" && !answer.Repeats(next, r.Before) {
			return next, nil
		}
	}
	return ladder[len(ladder)-1], nil
}

// rungs is the number of wordings before the search becomes wider: the question
// itself and two more.
const rungs = 3

// fewer drops the first term, often the verb. In a question without names, the
// key terms equal the words.
func fewer(terms []string) []string { return terms[min(1, len(terms)):] }

// names returns the question's names with their aliases.
func (w rewriter) names(ctx context.Context, r answer.RewriteRequest, reading *reading) ([]string, error) {
	names := reading.namesAsWritten()
	entities, err := known(ctx, w.Graph, r.Workspace, reading.names)
	if err != nil {
		return nil, err
	}
	for _, e := range entities {
		names = append(names, e.Name)
		names = append(names, e.Aliases...)
	}
	if len(reading.names) == 0 { // names alone would lose the question
		names = append(names, reading.terms()...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		key := prose.Key(n)
		again := seen[key]
		seen[key] = true
		return again
	}), nil
}

func (r *reading) namesAsWritten() []string {
	var out []string
	for _, it := range r.pieces {
		if it.key != "" {
			out = append(out, it.text)
		}
	}
	return out
}

// terms returns the content words of the question that are not names.
func (r *reading) terms() []string {
	var out []string
	for _, it := range r.pieces {
		if !it.opens && it.key == "" && !anybody[strings.ToLower(it.text)] {
			out = append(out, it.text)
		}
	}
	return out
}

// isStop reports whether a word says nothing by itself, alone or contracted:
// "doesn't", "I'm".
func isStop(word string) bool {
	begins, _, _ := strings.Cut(strings.ReplaceAll(word, "’", "'"), "'")
	return prose.IsStopWord(begins) || prose.IsStopWord(strings.TrimSuffix(begins, "n"))
}

// exact reports whether a word must appear verbatim in a source: a number or a
// capitalised word.
func exact(word string) bool {
	return isNumber(word) || prose.IsCapitalised(word) && domain.Runes(word) > 1
}
