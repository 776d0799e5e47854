package answer

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// transform rewords the question for another search.
func (n *nodes) transform(ctx *stategraph.Context, s State) (state.Update[State], error) {
	found, err := n.Passages.Passages(ctx, s.Workspace, s.last().Found)
	if err != nil {
		return state.Update[State]{}, err
	}
	before := s.wordings()
	next, err := n.Roles.Rewriter.Rewrite(ctx, RewriteRequest{Asked: s.askedFor(), Before: before, Found: found}, ctx.Emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	next = fresh(next, before)
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: s.search().Text, To: next.Text, How: next.How})
	return state.Merge(n.rewrites.Add(next), n.loopCount.Add(1)), nil
}

// wordings are all that was searched for, the question first.
func (s State) wordings() []Rewrite {
	return append([]Rewrite{{Text: s.asked()}}, s.QueryRewrites...)
}

// fresh is a rewrite that differs from all before it: one that does not is
// searched for in a wider circle.
func fresh(next Rewrite, before []Rewrite) Rewrite {
	if next.Text = oneLine(next.Text); next.Text == "" {
		next.Text = before[0].Text
	}
	for Repeats(next, before) {
		next.Wide++
		next.How = "the same words, wider"
	}
	return next
}

// Repeats reports whether a search for next would be one of those before: of
// the same width, for the same words, whatever their order, form or number.
func Repeats(next Rewrite, before []Rewrite) bool {
	return slices.ContainsFunc(before, func(b Rewrite) bool {
		return b.Wide == next.Wide && bag(b.Text) == bag(next.Text)
	})
}

// bag is what a search sees of a text: the words that count, without order.
func bag(text string) string {
	terms := prose.Terms(text)
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

// oneLine is text without line breaks and runs of spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
