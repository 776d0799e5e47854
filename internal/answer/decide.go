package answer

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// begin decides where a question goes first. An empty library or scope is not
// searched, nor is a library for a question that a chart of graph counts answers.
func (n *nodes) begin(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	if s.MaxLoops < 0 {
		return stategraph.Route[State]{}, domain.Errorf(domain.Invalid, "MAX_LOOPS is %d: it must be 0 or more.", s.MaxLoops)
	}
	stats, err := n.Library.Stats(ctx, s.Workspace)
	away := domain.KindOf(err) == domain.Unavailable // the search will report it
	switch {
	case err != nil && !away:
		return stategraph.Route[State]{}, err
	case stats.Chunks == 0 && !away, s.UserContext.nowhere():
		return stategraph.Choose[State](caseEmpty), nil
	case n.counts(s.asked()):
		return stategraph.Choose[State](caseCounts), nil
	case len(s.UserContext.History) > 0:
		return stategraph.Choose[State](caseHistory), nil
	}
	return stategraph.Choose[State](caseFirst), nil
}

// fanOut sends every passage of the latest search to grading.
func (n *nodes) fanOut(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	found := s.last().Found
	if len(found) == 0 {
		return stategraph.Fan(n.grade.Send(gradeTask{})), nil
	}
	sends := make([]stategraph.Send[State], len(found))
	for i, id := range found {
		sends[i] = n.grade.Send(gradeTask{Asked: s.asked(), Document: s.document(id), Candidates: found})
	}
	return stategraph.Fan(sends...), nil
}

// decide ends the loop: it goes on to write once enough passages are relevant or
// no rewrite is left, and otherwise to another rewrite. Before it writes, a person
// may want to be asked.
func (n *nodes) decide(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if err := s.checkGrades(); err != nil {
		return stategraph.Route[State]{}, err
	}
	relevant := len(s.relevant()) >= s.MinRelevant
	switch {
	case !relevant && s.LoopCount < s.MaxLoops:
		return stategraph.Choose[State](caseIrrelevant), nil
	case s.asks(relevant) && relevant:
		return stategraph.Choose[State](caseReview), nil
	case s.asks(relevant):
		return stategraph.Choose[State](caseHint), nil
	case relevant:
		return stategraph.Choose[State](caseRelevant), nil
	}
	return stategraph.Choose[State](CaseCap), nil
}

// checkGrades returns an error if the latest search found passages and none of
// them could be graded, which says nothing about the library.
func (s State) checkGrades() error {
	found := s.last().Found
	for _, id := range found {
		a := s.document(id).Appearances
		if a[len(a)-1].Verdict != domain.Ungraded {
			return nil
		}
	}
	if len(found) == 0 {
		return nil
	}
	return domain.Errorf(domain.Unavailable,
		"The model's grades could not be read for any of the %d passages found, so the question was left unanswered. Try again, or choose another model with GRADE_MODEL.", len(found))
}
