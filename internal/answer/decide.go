package answer

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// begin decides where a question goes first. There is no search of an empty library or scope, nor for a question that a
// chart of graph counts answers.
func (n *nodes) begin(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	if s.MaxLoops < 0 {
		return stategraph.Route[State]{}, domain.Errorf(domain.Invalid, "MAX_LOOPS is %d: it must be 0 or more.", s.MaxLoops)
	}
	if s.Web {
		return stategraph.Choose[State](caseWeb), nil
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
	case n.counts(s.asked()) && !s.ContextOnly:
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

// routed maps kinds of questions that route reads for to their cases.
var routed = map[intent.Kind]string{intent.Whole: caseWhole, intent.Summarise: caseSummary, intent.List: caseList, intent.Compare: caseCompare, intent.Count: caseCount}

// plan decides where a question goes once it is understood.
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
	return stategraph.Fan(lists.Map(tasks, n.grade.Send)...), nil
}

// decide ends the loop. It continues to writing once enough passages are relevant and cover more than a part of the
// question, or no rewrites are left, and otherwise rewrites again. A step of the question is settled first.
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

// nextStep continues with the next step, or ends the searches.
func (n *nodes) nextStep(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	switch {
	case s.overBudget():
		return stategraph.Choose[State](CaseCap), nil
	case s.step() != nil:
		return stategraph.Choose[State](caseNext), nil
	}
	return s.finish(), nil
}

// finish continues to writing, after asking a person if they want to be asked.
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

// checkGrades returns an error if the latest search found passages but none of them could be graded, which would say
// nothing about the library.
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

// MaxHints is the maximum number of hints a person may give in one run.
const MaxHints = 5

// HowHint marks a wording that a person gave.
const HowHint = "a hint"

// Reasons of verdicts given by a person.
const (
	reasonAdded   = "chosen by a person"
	reasonDropped = "left out by a person"
)

// Asking is a run's question to a person before it writes.
type Asking struct {
	Nothing  bool             `json:"nothing"`  // no search has found anything relevant
	Hints    bool             `json:"hints"`    // a hint may still be given
	Passages []domain.Grading `json:"passages"` // all found, relevant ones first

	// For a summary, its texts, from summarize.Draft. Nothing else is asked then.
	Summaries []string `json:"summaries,omitempty"`
}

// Reply is a person's answer to an [Asking]. Without a hint, the run then writes from the relevant passages.
type Reply struct {
	Drop []domain.ChunkID `json:"drop,omitempty"` // no longer relevant
	Add  []domain.ChunkID `json:"add,omitempty"`  // now relevant, whether found by a search or not
	Hint string           `json:"hint,omitempty"` // words for one more search

	Texts []string `json:"texts,omitempty"` // replace those of an Asking about a summary
}

// asks reports whether to ask a person before a run writes, or ends without a relevant passage.
func (s State) asks(relevant bool) bool {
	return s.Review || s.Hint && !relevant && s.hinted() < MaxHints
}

// hinted returns how many hints a person has given.
func (s State) hinted() int {
	return lists.CountFunc(s.QueryRewrites, func(r Rewrite) bool { return r.How == HowHint })
}

// asking returns what the run asks.
func (s State) asking() Asking {
	a := Asking{Nothing: len(s.relevant()) < s.MinRelevant, Hints: s.hinted() < MaxHints, Passages: s.Result().Documents}
	slices.SortStableFunc(a.Passages, func(x, y domain.Grading) int { return rank(x.Verdict) - rank(y.Verdict) })
	return a
}

func rank(v domain.Verdict) int {
	if v == domain.Relevant {
		return 0
	}
	return 1
}

// askPerson asks a person and records their decision.
func (n *nodes) askPerson(ctx *stategraph.Context, s State) (state.Update[State], error) {
	reply, err := stategraph.Interrupt[Reply](ctx, s.asking())
	if err != nil {
		return state.Update[State]{}, err
	}
	u, err := n.decided(ctx, s, reply)
	if err != nil || reply.Hint == "" || s.hinted() == MaxHints {
		return u, err
	}
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: s.wording().Text, To: reply.Hint, How: HowHint})
	return state.Merge(u, n.rewrites.Add(Rewrite{Text: reply.Hint, How: HowHint}), n.loopCount.Add(1)), nil
}

// decided records the passages that a person added or dropped, ignoring those no longer in the library.
func (n *nodes) decided(ctx *stategraph.Context, s State, r Reply) (state.Update[State], error) {
	passages, err := n.Passages.Passages(ctx, s.Workspace, slices.Concat(r.Drop, r.Add))
	if err != nil {
		return state.Update[State]{}, err
	}
	var u state.Update[State]
	for _, p := range passages {
		if (p.Web.Address != "") != s.Web { // the library and the web are not mixed
			continue
		}
		d := s.document(p.ID)
		d.Document, d.Page, d.Place, d.Decided = p.Document, p.Page, p.Place(p.Span), domain.Relevant
		if slices.Contains(r.Drop, p.ID) {
			d.Decided = domain.Irrelevant
		}
		ctx.Emit(domain.EventGrade, p.Graded(d.decision()))
		u = state.Merge(u, n.documents.Put(d), n.sources.Put(Source{p.Document, p.Name}))
	}
	return u, nil
}

// decision returns the grade that a person gave a passage.
func (d Document) decision() domain.Grade {
	if d.Decided == domain.Relevant {
		return domain.Grade{Verdict: d.Decided, Reason: reasonAdded}
	}
	return domain.Grade{Verdict: d.Decided, Reason: reasonDropped}
}

// goOn searches again if there is an unused wording, and otherwise writes.
func (n *nodes) goOn(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if len(s.QueryRewrites) == len(s.Retrieval) {
		return stategraph.Choose[State](caseHinted), nil
	}
	return stategraph.Choose[State](caseReviewed), nil
}
