package answer

import (
	"strings"

	"github.com/clewhq/clew/internal/answer/intent"
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
	ask, failed := n.intent(ctx, s)
	switch {
	case err != nil && !away:
		return stategraph.Route[State]{}, err
	case failed != nil:
		return stategraph.Route[State]{}, failed
	case ask.Kind == intent.Greeting || ask.Kind == intent.Thanks:
		return stategraph.Choose[State](caseGreeting), nil
	case stats.Chunks == 0 && !away, s.UserContext.nowhere():
		return stategraph.Choose[State](caseEmpty), nil
	case n.counts(s.asked()):
		return stategraph.Choose[State](caseCounts), nil
	case routed[ask.Kind] != "":
		return stategraph.Choose[State](routed[ask.Kind]), nil
	case len(s.UserContext.History) > 0:
		return stategraph.Choose[State](caseHistory), nil
	}
	open, err := n.open(ctx, s)
	switch {
	case err != nil:
		return stategraph.Route[State]{}, err
	case open:
		return stategraph.Choose[State](caseOpen), nil
	case n.inSteps(s.standalone()):
		return stategraph.Choose[State](caseSteps), nil
	}
	return stategraph.Choose[State](caseFirst), nil
}

// routed are the cases of questions for which route finds what to read.
var routed = map[intent.Kind]string{intent.Whole: caseWhole, intent.Summarise: caseSummary, intent.List: caseList, intent.Compare: caseCompare}

// plan decides where a question that is understood goes.
func (n *nodes) plan(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	asks := intent.Kind("")
	if s.Asks != nil && s.Survey == nil {
		asks = s.Asks.Kind
	}
	switch {
	case asks == intent.Greeting || asks == intent.Thanks:
		return stategraph.Choose[State](caseGreeting), nil
	case routed[asks] != "":
		return stategraph.Choose[State](routed[asks]), nil
	case n.inSteps(s.standalone()):
		return stategraph.Choose[State](caseSteps), nil
	}
	return stategraph.Choose[State](caseOne), nil
}

// fanOut sends every passage of the latest search to grading.
func (n *nodes) fanOut(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	tasks := n.gradeTasks(s)
	sends := make([]stategraph.Send[State], len(tasks))
	for i, t := range tasks {
		sends[i] = n.grade.Send(t)
	}
	return stategraph.Fan(sends...), nil
}

// decide ends the loop: it goes on to write once enough passages are relevant and say
// more than a part of the question, or no rewrite is left, and otherwise to another rewrite. A step of the question is
// settled first.
func (n *nodes) decide(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	if s.overBudget() {
		return stategraph.Choose[State](CaseCap), nil
	}
	if err := s.checkGrades(); err != nil {
		return stategraph.Route[State]{}, err
	}
	_, part, err := n.tie(ctx, s)
	if err != nil {
		return stategraph.Route[State]{}, err
	}
	switch {
	case (part || !s.enough()) && s.LoopCount-s.begun() < s.MaxLoops:
		return stategraph.Choose[State](caseIrrelevant), nil
	case s.step() != nil:
		return stategraph.Choose[State](caseStep), nil
	}
	return s.finish(), nil
}

// enough reports whether enough passages are relevant: for the step at work one.
func (s State) enough() bool {
	if step := s.step(); step != nil {
		return len(s.relevantSince(step.From)) > 0
	}
	return len(s.relevant()) >= s.MinRelevant
}

// nextStep goes on with the next step, or ends the searches.
func (n *nodes) nextStep(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	switch {
	case s.overBudget():
		return stategraph.Choose[State](CaseCap), nil
	case s.step() != nil:
		return stategraph.Choose[State](caseNext), nil
	}
	return s.finish(), nil
}

// finish goes on to write. Before that a person may want to be asked.
func (s State) finish() stategraph.Route[State] {
	relevant := len(s.relevant()) >= s.MinRelevant
	switch {
	case s.asks(relevant) && relevant:
		return stategraph.Choose[State](caseReview)
	case s.asks(relevant):
		return stategraph.Choose[State](caseHint)
	case relevant:
		return stategraph.Choose[State](caseRelevant)
	}
	return stategraph.Choose[State](CaseCap)
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
	if a := s.document(found[0]).Appearances; strings.HasPrefix(a[len(a)-1].Reason, "The ") {
		return domain.Errorf(domain.Unavailable, "None of the %d passages found was graded, so the question was left unanswered: %s Try again, or choose another model with GRADE_MODEL.", len(found), a[len(a)-1].Reason)
	}
	return domain.Errorf(domain.Unavailable,
		"The model's grades could not be read for any of the %d passages found, so the question was left unanswered. Try again, or choose another model with GRADE_MODEL.", len(found))
}
