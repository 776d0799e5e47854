package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// gradeTask is a passage to grade. A search that found nothing sends one without
// a passage, so that every search is followed by a grading step.
type gradeTask struct {
	Asked
	Document   Document         `json:"document"`
	Candidates []domain.ChunkID `json:"candidates"`
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
	grade.Reason = shortReason(grade)
	ctx.Emit(domain.EventGrade, domain.Grading{Chunk: p.ID, Document: p.Document, Name: p.Name, Page: p.Page, Grade: grade})
	return state.Merge(
		n.documents.Put(d.graded(grade, n.Now().Sub(start).Milliseconds())), n.sources.Put(Source{p.Document, p.Name}),
	), nil
}

// graded returns d with a grade for its last appearance.
func (d Document) graded(g domain.Grade, ms int64) Document {
	d.Appearances = slices.Clone(d.Appearances)
	last := &d.Appearances[len(d.Appearances)-1]
	last.Verdict, last.Reason, last.MS = g.Verdict, g.Reason, ms
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
