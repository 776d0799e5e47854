package answer

import (
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Draft is an answer that was written again.
type Draft struct {
	Generation string            `json:"generation"`
	Sentences  []domain.Sentence `json:"sentences"`
	Citations  []domain.Citation `json:"citations"`
}

// unsupported counts the sentences that nothing supports.
func unsupported(sentences []domain.Sentence) int {
	n := 0
	for _, s := range sentences {
		if !s.Supported {
			n++
		}
	}
	return n
}

// checked goes on to write the answer again if sentences have no support: once, and
// not one with charts, which stand between its sentences.
func (n *nodes) checked(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	switch {
	case unsupported(s.Sentences) == 0:
		return stategraph.Choose[State](caseSupported), nil
	case n.Regenerate && n.Roles.Reviser != nil && s.WantsRevision():
		return stategraph.Choose[State](caseUnsupported), nil
	}
	return stategraph.Choose[State](caseLeft), nil
}

// WantsRevision reports whether a checked answer has sentences without support and may
// still be written again.
func (s State) WantsRevision() bool {
	return unsupported(s.Sentences) > 0 && s.Answered && s.Draft == nil && len(s.Figures) == 0 && !s.overBudget()
}

// regenerate writes the answer once more, by a writer that is told which sentences
// have no support and why. Readers see the draft until the new one is checked.
func (n *nodes) regenerate(ctx *stategraph.Context, s State) (state.Update[State], error) {
	u := n.draft.Set(&Draft{s.Generation, s.Sentences, s.Citations})
	passages, err := n.Passages.Passages(ctx, s.Workspace, chunks(s.relevant()))
	if err != nil || len(passages) == 0 { // or deleted in the meantime
		return u, err
	}
	r := ReviseRequest{Asked: s.asked(), Passages: passages, Draft: s.Generation}
	for _, sentence := range s.Sentences {
		if !sentence.Supported {
			r.Faults = append(r.Faults, Fault{sentence.Text, sentence.Reason})
		}
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("%s without support", domain.Counted(len(r.Faults), "sentence", "sentences"))})
	m := n.meter(s.Budget, ctx.Emit)
	c := &composer{citations: []domain.Citation{}}
	if err := n.Roles.Reviser.Revise(ctx, r, newTurnPen(c), m.emit); err != nil {
		return state.Update[State]{}, err
	}
	u = state.Merge(u, n.spend(m))
	if c.runes == 0 {
		return u, nil
	}
	c.attribute(s.standalone(), passages)
	c.remark(s.missing())
	return state.Merge(u, n.generation.Set(c.answer()), n.sentences.Set(c.sentences()), n.citations.Set(c.citations)), nil
}

// better returns the update that keeps the checked sentences, or the draft if these
// are no better.
func (n *nodes) better(ctx *stategraph.Context, s State, checked []domain.Sentence) state.Update[State] {
	if s.Draft == nil || unsupported(checked) < unsupported(s.Draft.Sentences) {
		return n.sentences.Set(checked)
	}
	if s.Generation != s.Draft.Generation {
		ctx.Emit(domain.EventNote, domain.Note{Text: "no better supported, so the first answer stands"})
	}
	return state.Merge(n.generation.Set(s.Draft.Generation), n.sentences.Set(s.Draft.Sentences), n.citations.Set(s.Draft.Citations))
}
