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
// wider; after that wider still. A rung that would repeat what was searched for
// is left out.
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
		{Text: strings.Join(fewer(reading.terms()), " "), How: "fewer of the key terms"},
		{Text: r.Question, How: "wider: more passages, more hops", Wide: len(r.Before)},
	}
	for _, next := range ladder[:len(ladder)-1] {
		used := slices.ContainsFunc(r.Before, func(b answer.Rewrite) bool { return b.How == next.How })
		if len(r.Before) < rungs && !used && next.Text != "" && !answer.Repeats(next, r.Before) {
			return next, nil
		}
	}
	return ladder[len(ladder)-1], nil
}

// rungs is how many wordings are tried before the search becomes wider: the
// question itself and two more.
const rungs = 3

// fewer are terms without the first, which often is the verb. A question
// without names has the same key terms as it has words.
func fewer(terms []string) []string { return terms[min(1, len(terms)):] }

// names are those of the question with their aliases, and those that the
// passages found put beside them.
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
	names = append(names, reading.between()...)
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

// terms are the words of the question that count and are no names.
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
const mostBetween = 3

// between are the names that the next hop may lead through: those that a whole
// description of the question leads to, or else those beside a part of the
// question.
func (r *reading) between() []string {
	var out []string
	add := func(n named) {
		if len(out) < mostBetween && !slices.Contains(out, n.text) {
			out = append(out, n.text)
		}
	}
	for _, plan := range r.plans() {
		if last := len(plan) - 1; last > 0 {
			r.lead(plan[last-1], plan[last], add)
		}
	}
	if len(out) == 0 {
		r.beside(add)
	}
	return out
}

// lead gives the names that propositions lead to which cover a description.
func (r *reading) lead(outer, inner clause, add func(named)) {
	for i := range r.propositions {
		s := &r.propositions[i]
		cov := r.cover(s, inner, nil)
		if len(cov.missing) > 0 {
			continue
		}
		for _, n := range r.bridges(s, cov) {
			if _, ok := r.fits(n, s, outer, inner); ok {
				add(n)
			}
		}
	}
}

// beside gives the names in propositions that have an element of the question,
// first those that have most.
func (r *reading) beside(add func(named)) {
	all := clause{elements: elementsOf(r.pieces)}
	for least := len(all.elements); least > 0; least-- {
		for i := range r.propositions {
			s := &r.propositions[i]
			cov := r.cover(s, all, nil)
			if len(all.elements)-len(cov.missing) != least {
				continue
			}
			for _, n := range r.bridges(s, cov) {
				add(n)
			}
		}
	}
}

// isStop reports whether a word says nothing by itself.
func isStop(word string) bool { return prose.IsStopWord(word) }

// exact reports whether a word has to stand in a source as it is: a number, or
// a word with a capital.
func exact(word string) bool {
	return isNumber(word) || prose.IsCapitalised(word) && domain.Runes(word) > 1
}
