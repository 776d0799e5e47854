package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// rewriter climbs a ladder: the question with its spelling mended, its names with those
// that the graph ties to them, its other words alone, then wider and wider searches. It
// skips rungs that would repeat a search.
type rewriter struct {
	Graph
	*answerReader
}

var _ answer.Rewriter = rewriter{}

// rungs is the number of wordings before the search becomes wider: the question
// itself and two more.
const rungs = 3

// Rewrite returns the first rung of the ladder that has not been tried.
func (w rewriter) Rewrite(ctx context.Context, r answer.RewriteRequest, _ answer.Emit) (answer.Rewrite, error) {
	q := readAsked(r.Question)
	wide := answer.Rewrite{Text: q.text, How: "wider: more passages, more hops", Wide: 1}
	for answer.Repeats(wide, r.Before) {
		wide.Wide++
	}
	if len(r.Before) >= rungs {
		return wide, nil
	}
	mended, err := w.mended(ctx, r.Workspace, q.text)
	if err != nil {
		return answer.Rewrite{}, err
	}
	names, err := w.names(ctx, r.Workspace, q)
	if err != nil {
		return answer.Rewrite{}, err
	}
	for _, next := range []answer.Rewrite{
		{Text: mended, How: "spelling mended"},
		{Text: strings.Join(names, " "), How: "names and aliases from the graph"},
		{Text: strings.Join(q.terms(), " "), How: "key terms alone"},
	} {
		if next.Text != "" && !answer.Repeats(next, r.Before) {
			return next, nil
		}
	}
	return wide, nil
}

// mended returns a question with the words that no document has spelt as a document
// spells them.
func (w rewriter) mended(ctx context.Context, room domain.WorkspaceID, question string) (string, error) {
	if w.words == nil {
		return "", nil
	}
	found, err := w.words.Words(ctx, room, question, nil)
	if err != nil {
		if domain.KindOf(err) == domain.Unavailable {
			return "", ctx.Err()
		}
		return "", err
	}
	for _, word := range found.Words {
		if word.Documents == 0 && word.Meant != "" {
			question = strings.Replace(question, word.Text, word.Meant, 1)
		}
	}
	return question, nil
}

// names returns the question's names with their aliases; none if it has no names.
func (w rewriter) names(ctx context.Context, room domain.WorkspaceID, q *asked) ([]string, error) {
	var keys []string
	names := q.texts(q.named())
	for _, n := range names {
		keys = append(keys, prose.Key(n))
	}
	if len(keys) == 0 {
		return nil, nil
	}
	entities, err := known(ctx, w.Graph, room, keys)
	if err != nil {
		return nil, err
	}
	for _, e := range entities {
		names = append(append(names, e.Name), e.Aliases...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		key := prose.Key(n)
		again := seen[key]
		seen[key] = true
		return again
	}), nil
}

// terms returns the content words of a question that are neither names nor verbs.
func (q *asked) terms() []string {
	var out []string
	for _, p := range q.pieces {
		if !p.named && !isPastVerb(p.text) {
			out = append(out, p.text)
		}
	}
	return out
}
