package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// gradeTask are passages to grade: one, or several in one call. A search that found
// nothing sends a task without a passage, so that every search is followed by a
// grading step.
type gradeTask struct {
	Asked
	Document   Document         `json:"document"`
	More       []Document       `json:"more,omitempty"`
	Candidates []domain.ChunkID `json:"candidates"`
	Low        bool             `json:"low,omitempty"` // the scores are too low
	Budget     Budget           `json:"budget,omitzero"`
	Left       int64            `json:"left,omitempty"`   // of the budget, before all tasks
	Before     int              `json:"before,omitempty"` // tasks that take of it first
}

// Reasons of grades that no model gave.
const (
	reasonGone   = "is no longer in the library"
	reasonLow    = "scored far below the best"
	reasonBudget = "the cap of the question was reached"
)

// gradeTasks divides the passages of a search into tasks.
func (n *nodes) gradeTasks(s State) []gradeTask {
	found := s.last().Found
	if len(found) == 0 {
		return []gradeTask{{}}
	}
	many := 1
	if n.Roles.Many != nil {
		many = max(1, n.GradeMany)
	}
	among := slices.Clone(found) // a passage may say the rest of what an earlier one says
	for _, d := range s.relevant() {
		if !slices.Contains(among, d.Chunk) {
			among = append(among, d.Chunk)
		}
	}
	var tasks, low []gradeTask
	for _, id := range found {
		d := s.document(id)
		t := gradeTask{Asked: s.searching(), Document: d, Candidates: among}
		if d.score() < n.GradeAbove*s.document(found[0]).score() {
			t.Low = true
			low = append(low, t)
			continue
		}
		if last := len(tasks) - 1; last >= 0 && len(tasks[last].More) < many-1 {
			tasks[last].More = append(tasks[last].More, d)
			continue
		}
		t.Budget, t.Left, t.Before = s.Budget, s.Budget.Most-s.Spent, len(tasks)
		tasks = append(tasks, t)
	}
	return append(tasks, low...)
}

// score returns the score of the last search that found the passage.
func (d Document) score() float64 { return d.Appearances[len(d.Appearances)-1].Score }

// gradeDocument grades passages among those they were found with.
func (n *nodes) gradeDocument(ctx *stategraph.Context, t gradeTask) (state.Update[State], error) {
	if t.Document.Chunk == "" {
		ctx.Emit(domain.EventNote, domain.Note{Text: "the search found nothing to grade"})
		return state.Update[State]{}, nil
	}
	start := n.Now()
	passages, err := n.shared.of(ctx, t.Workspace, t.Run, t.Candidates)
	if err != nil {
		return state.Update[State]{}, err
	}
	var u state.Update[State]
	var there []Document
	var requests []GradeRequest
	for _, d := range append([]Document{t.Document}, t.More...) {
		i := slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == d.Chunk })
		if i < 0 {
			u = state.Merge(u, n.documents.Put(d.graded(domain.Grade{Verdict: domain.Irrelevant, Reason: reasonGone}, 0)))
			continue
		}
		d.Document, d.Page, d.Place = passages[i].Document, passages[i].Page, passages[i].Place(passages[i].Span)
		there = append(there, d)
		requests = append(requests, GradeRequest{Asked: t.Asked, Passage: passages[i], Path: d.path(), Candidates: passages})
	}
	m := n.meter(ctx, t.Budget, ctx.Emit)
	grades, err := n.grades(ctx, t, requests, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	for i, g := range grades {
		p, d := requests[i].Passage, there[i]
		g.Reason = shortReason(g)
		ctx.Emit(domain.EventGrade, p.Graded(g))
		u = state.Merge(u, n.documents.Put(d.graded(g, n.Now().Sub(start).Milliseconds())), n.sources.Put(Source{p.Document, p.Name}))
	}
	return state.Merge(u, n.spend(m)), nil
}

// grades returns the grades of a task's passages. Those that can't be read out of
// an answer about several are asked for by themselves.
func (n *nodes) grades(ctx *stategraph.Context, t gradeTask, requests []GradeRequest, emit Emit) ([]domain.Grade, error) {
	switch {
	case t.Low:
		return alike(requests, domain.Grade{Verdict: domain.Irrelevant, Reason: reasonLow}), nil
	case !n.affords(ctx, t, requests):
		return alike(requests, domain.Grade{Verdict: domain.Ungraded, Reason: reasonBudget}), nil
	}
	grades := alike(requests, domain.Grade{Verdict: domain.Ungraded})
	if len(requests) > 1 {
		var err error
		if grades, err = n.Roles.Many.GradeMany(ctx, t.Asked, requests, emit); err != nil {
			return nil, err
		}
	}
	for i, r := range requests {
		if grades[i].Verdict != domain.Ungraded {
			continue
		}
		g, err := n.Roles.Grader.Grade(ctx, r, emit)
		if err != nil {
			return nil, err
		}
		grades[i] = g
	}
	return grades, nil
}

// alike returns the same grade for each request.
func alike(requests []GradeRequest, g domain.Grade) []domain.Grade {
	return slices.Repeat([]domain.Grade{g}, len(requests))
}

// graded returns d with a grade for its last appearance.
func (d Document) graded(g domain.Grade, ms int64) Document {
	d.Appearances = slices.Clone(d.Appearances)
	last := &d.Appearances[len(d.Appearances)-1]
	last.Verdict, last.Reason, last.Nearest, last.MS = g.Verdict, g.Reason, g.Nearest, ms
	return d
}

// The longest reasons that the state keeps, in code points. There may be many
// irrelevant passages.
const (
	maxRelevantReason   = 160
	maxIrrelevantReason = 56
)

// shortReason returns a grade's reason on one line of bounded length.
func shortReason(g domain.Grade) string {
	limit := maxIrrelevantReason
	if g.Verdict == domain.Relevant {
		limit = maxRelevantReason
	}
	return domain.Cut(oneLine(g.Reason), limit)
}
