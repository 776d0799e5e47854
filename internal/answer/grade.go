package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// gradeTask is one passage on its way to grading. A search that found nothing
// sends one without a passage, so that its run reads like that of any other.
type gradeTask struct {
	Asked
	Document   Document         `json:"document"`
	Candidates []domain.ChunkID `json:"candidates"`
}

// fanOut sends every passage of the latest search to grading.
func (n *nodes) fanOut(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	found := s.last().Found
	if len(found) == 0 {
		return stategraph.Fan(n.grade.Send(gradeTask{})), nil
	}
	sends := make([]stategraph.Send[State], len(found))
	for i, id := range found {
		sends[i] = n.grade.Send(gradeTask{Asked: s.askedFor(), Document: s.document(id), Candidates: found})
	}
	return stategraph.Fan(sends...), nil
}

// gradeDocument grades one passage among those it was found with.
func (n *nodes) gradeDocument(ctx *stategraph.Context, t gradeTask) (state.Update[State], error) {
	if t.Document.Chunk == "" {
		ctx.Emit(domain.EventNote, domain.Note{Text: "the search found nothing to grade"})
		return state.Update[State]{}, nil
	}
	start := n.Now()
	passages, err := n.Passages.Passages(ctx, t.Workspace, t.Candidates)
	if err != nil {
		return state.Update[State]{}, err
	}
	d := t.Document
	i := slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == d.Chunk })
	if i < 0 {
		return n.documents.Put(d.graded(domain.Grade{Verdict: domain.Irrelevant, Reason: "is no longer in the library"}, 0)), nil
	}
	p := passages[i]
	grade, err := n.Roles.Grader.Grade(ctx, GradeRequest{Asked: t.Asked, Passage: p, Path: d.path(), Candidates: passages}, ctx.Emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	d.Document, d.Page = p.Document, p.Page
	grade.Reason = brief(grade)
	ctx.Emit(domain.EventGrade, domain.Grading{Chunk: p.ID, Document: p.Document, Name: p.Name, Page: p.Page, Grade: grade})
	return state.Merge(
		n.documents.Put(d.graded(grade, n.Now().Sub(start).Milliseconds())), n.sources.Put(Source{p.Document, p.Name}),
	), nil
}

// graded is d with a grade for its last appearance.
func (d Document) graded(g domain.Grade, ms int64) Document {
	d.Appearances = slices.Clone(d.Appearances)
	last := &d.Appearances[len(d.Appearances)-1]
	last.Verdict, last.Reason, last.MS = g.Verdict, g.Reason, ms
	return d
}

// The longest reasons that the state keeps, in code points.
const (
	longestReason = 160 // of a relevant passage
	longestWhyNot = 56  // of another: there may be many
)

// brief is a grade's reason in one line of bounded length.
func brief(g domain.Grade) string {
	most := longestWhyNot
	if g.Verdict == domain.Relevant {
		most = longestReason
	}
	return domain.Cut(oneLine(g.Reason), most)
}

// decide goes on to write when enough is relevant, else to another wording as
// long as there is one left.
func (n *nodes) decide(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	if err := s.graded(); err != nil {
		return stategraph.Route[State]{}, err
	}
	switch {
	case len(s.relevant()) >= s.MinRelevant:
		return stategraph.Choose[State](caseRelevant), nil
	case s.LoopCount < s.MaxLoops:
		return stategraph.Choose[State](caseIrrelevant), nil
	}
	return stategraph.Choose[State](CaseCap), nil
}

// graded is an error when the latest search found passages and not one of
// them could be graded: that says nothing about the library.
func (s State) graded() error {
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
		"The model's grades could not be read for any of the %d passages found, so the question was left unanswered. Try again, or choose another model with LLM_MODEL_GRADE.", len(found))
}
