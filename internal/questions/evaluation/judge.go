package evaluation

import (
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// ByHand lists the verdicts that a person can give.
func ByHand() []Verdict { return []Verdict{Right, Half, Wrong, Refused} }

// Judge puts a person's verdict on the n-th reply of an evaluation in place of that of
// the rules, or takes it back where v is "", and returns the one that the reply had
// from a person before. The error is Invalid for a verdict that a person can't give,
// Conflict before there is an answer, and NotFound for a reply that is not there.
func (s *Service) Judge(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID, n int, v Verdict) (before Verdict, err error) {
	if v != "" && !slices.Contains(ByHand(), v) {
		return "", domain.Errorf(domain.Invalid, "There is no verdict %q. Choose right, half, wrong or refused.", domain.Cut(string(v), 40))
	}
	_, err = s.Ledger.UpdateEvaluation(ctx, w, id, func(e *ledger.Evaluation, replies []ledger.EvaluationReply) error {
		i := slices.IndexFunc(replies, func(r ledger.EvaluationReply) bool { return r.N == n })
		switch {
		case i < 0:
			return domain.Errorf(domain.NotFound, "The evaluation has no question %d. It has %d.", n, len(replies))
		case replies[i].Status != ledger.MessageDone:
			return domain.Errorf(domain.Conflict, "Question %d has no answer to judge.", n)
		}
		before, replies[i].ByHand = Verdict(replies[i].ByHand), string(v)
		if e.Status == ledger.EvaluationWorking {
			return nil
		}
		return sumUp(e, replies)
	})
	return before, err
}

// judged returns the reply with a person's verdict instead of the rules'.
func (r Reply) judged(by Verdict) Reply {
	if by == "" {
		return r
	}
	r.ByRule, r.Verdict = r.Verdict, by
	if by == Refused && r.ToRefuse() {
		r.Verdict = RefusedRightly
	}
	return r
}

// Says names the verdict on a reply, and whether a person gave it.
func (r Reply) Says() string {
	switch {
	case r.Verdict == "":
		return "not asked"
	case r.ByRule != "":
		return fmt.Sprintf("%s by hand (%s by rule)", r.Verdict, r.ByRule)
	}
	return string(r.Verdict)
}
