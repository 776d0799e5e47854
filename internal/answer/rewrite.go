package answer

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// transform rewords the question for another search, as a person did if one has.
func (n *nodes) transform(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	next, err := n.rewrite(ctx, s, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: s.wording().Text, To: next.Text, How: next.How})
	update := state.Merge(n.rewrites.Add(next), n.loopCount.Add(1), n.spend(m))
	if s.Wording != "" {
		update = state.Merge(update, n.wording.Set(""))
	}
	return update, nil
}

func (n *nodes) rewrite(ctx *stategraph.Context, s State, emit Emit) (Rewrite, error) {
	before := s.wordings()
	if s.Wording != "" {
		return distinct(Rewrite{Text: s.Wording, How: byHand}, before), nil
	}
	if tied, ok, err := n.tie(ctx, s); ok || err != nil {
		return distinct(tied, before), err
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, s.last().Found)
	if err != nil {
		return Rewrite{}, err
	}
	found := make([]Rejected, len(passages))
	for i, p := range passages {
		found[i] = Rejected{p, s.document(p.ID).grading().Reason}
	}
	next, err := n.Roles.Rewriter.Rewrite(ctx, RewriteRequest{Asked: s.searching(), Before: before, Found: found}, emit)
	return distinct(next, before), err
}

// tie returns the wording that searches for the rest of a question of which the first
// search found a part. It returns false if there is none, or the roles can't tell.
func (n *nodes) tie(ctx context.Context, s State) (Rewrite, bool, error) {
	role, ok := n.Roles.Rewriter.(Tying)
	if !ok || !s.enough() || s.LoopCount > s.begun() {
		return Rewrite{}, false, nil
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, s.last().Found)
	if err != nil {
		return Rewrite{}, false, err
	}
	tied, ok, err := role.Tie(ctx, s.searching(), passages)
	return tied, ok && !Repeats(tied, s.wordings()), err
}

// wordings returns every wording searched for, the question or that of the step
// first.
func (s State) wordings() []Rewrite {
	from := 0
	if step := s.step(); step != nil {
		from = step.From
	}
	return append([]Rewrite{{Text: prose.Question(s.searching().Question)}}, s.QueryRewrites[from:]...)
}

// distinct returns next if it differs from all before it, and otherwise the same
// words for a wider search.
func distinct(next Rewrite, before []Rewrite) Rewrite {
	if next.Text = oneLine(next.Text); next.Text == "" {
		next.Text = before[0].Text
	}
	for Repeats(next, before) {
		next.Wide++
		next.How = "the same words, wider"
	}
	return next
}

// Repeats reports whether next repeats a search in before: the same width and the
// same words, regardless of their order, form or number.
func Repeats(next Rewrite, before []Rewrite) bool {
	return slices.ContainsFunc(before, func(b Rewrite) bool {
		return b.Wide == next.Wide && bag(b.Text) == bag(next.Text)
	})
}

// bag returns the search terms of a text, sorted and each once.
func bag(text string) string {
	terms := prose.Terms(text)
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

// oneLine collapses all white space to single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
