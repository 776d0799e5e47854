package builtin

import (
	"cmp"
	"context"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// grader grades by nearness: a passage is relevant if one of its sentences is near the
// question, or belongs with a sentence of another one.
type grader struct{ *answerReader }

var _ answer.Grader = grader{}

// Grade looks for the nearest sentence among all candidates.
func (g grader) Grade(ctx context.Context, r answer.GradeRequest, _ answer.Emit) (domain.Grade, error) {
	reading, err := g.read(ctx, r.Asked, r.Candidates)
	if err != nil {
		return domain.Grade{}, err
	}
	i := slices.IndexFunc(reading.passages, func(p domain.Passage) bool { return p.ID == r.Passage.ID })
	s := reading.best(i)
	if s == nil {
		return domain.Grade{Verdict: domain.Irrelevant, Reason: "has no words"}, nil
	}
	grade := domain.Grade{Verdict: domain.Irrelevant, Reason: reading.why(s), Nearest: &domain.Nearest{Span: s.Span, Score: s.score}}
	if reading.near(s) {
		grade.Verdict = domain.Relevant
	}
	return grade, nil
}

// Limits of a reason.
const (
	mostNamed  = 4  // words
	longReason = 90 // code points of a sentence
)

// offersIn says what kind of words a sentence has.
var offersIn = map[want]string{aName: "a name", aPlace: "a name", aDate: "a date", aNumber: "a number"}

// why says what of the question a sentence has.
func (r *reading) why(s *candidate) string {
	says, tie := r.texts(s.says), r.tieOf(s)
	says = says[:min(len(says), mostNamed)]
	for i := range says {
		says[i] = "“" + says[i] + "”"
	}
	if r.offers(s, tie) && len(says) > 0 {
		says = append(says, offersIn[r.wants])
	}
	reason := ""
	switch {
	case len(says) > 0:
		reason = "has " + list(says)
	case r.near(s):
		reason = "close in meaning: " + domain.Cut(words(s.text), longReason)
	}
	if tie != "" {
		reason += ", tied by " + tie
	}
	return cmp.Or(reason, "has no word of the question")
}
