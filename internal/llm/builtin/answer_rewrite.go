package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// rewriter climbs a ladder: names and aliases from the graph, key terms alone,
// wider; after that wider still.
type rewriter struct{ Graph }

var _ answer.Rewriter = rewriter{}

// Rewrite gives the first rung of the ladder that has not been tried.
func (w rewriter) Rewrite(ctx context.Context, r answer.RewriteRequest, _ answer.Emit) (answer.Rewrite, error) {
	reading := read(r.Question, r.Found)
	names, err := w.names(ctx, r, reading)
	if err != nil {
		return answer.Rewrite{}, err
	}
	ladder := []answer.Rewrite{
		{Text: strings.Join(names, " "), How: "names and aliases from the graph"},
		{Text: strings.Join(reading.terms(), " "), How: "key terms alone"},
		{Text: r.Question, How: "wider: more passages, more hops", Wide: len(r.Before)},
	}
	rung := min(len(r.Before)-1, len(ladder)-1)
	for ; rung < len(ladder)-1; rung++ {
		if next := ladder[rung]; next.Text != "" && !answer.Repeats(next, r.Before) {
			return next, nil
		}
	}
	return ladder[rung], nil
}

// names are those of the question with their aliases, and those that the
// passages found put beside them.
func (w rewriter) names(ctx context.Context, r answer.RewriteRequest, reading *reading) ([]string, error) {
	names := reading.namesAsWritten()
	keys := slices.Clone(reading.question.names)
	entities, err := w.ByKey(ctx, r.Workspace, keys)
	if err != nil {
		return nil, err
	}
	for _, e := range entities {
		names = append(names, e.Name)
		names = append(names, e.Aliases...)
	}
	names = append(names, reading.between()...)
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

// terms are the words of the question that are no names; with none, the names
// and the noun asked for.
func (r *reading) terms() []string {
	var out []string
	for _, it := range r.pieces {
		if !it.opens && it.key == "" && !anybody[strings.ToLower(it.text)] {
			out = append(out, it.text)
		}
	}
	return out
}

// mostBetween bounds how many names found on the way are searched for.
const mostBetween = 4

// between are the names in propositions that have a part of the question: what
// the next hop may lead through.
func (r *reading) between() []string {
	type part struct {
		name string
		has  int
	}
	var parts []part
	all := elementsOf(r.pieces)
	for i := range r.propositions {
		s := &r.propositions[i]
		cov := r.cover(s, clause{elements: all}, nil)
		has := len(all) - len(cov.missing)
		if has < 2 {
			continue
		}
		for _, n := range r.bridges(s, cov) {
			parts = append(parts, part{n.text, has})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.has - a.has })
	var out []string
	for _, p := range parts {
		if len(out) < mostBetween && !slices.Contains(out, p.name) {
			out = append(out, p.name)
		}
	}
	return out
}

// isStop reports whether a word says nothing by itself.
func isStop(word string) bool { return prose.IsStopWord(word) }

// exact reports whether a word has to stand in a source as it is: a number, or
// a word with a capital.
func exact(word string) bool {
	return isNumber(word) || prose.IsCapitalised(word) && domain.Runes(word) > 1
}
