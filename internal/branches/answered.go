package branches

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Answered returns the message that a run answers, as the run does.
func (s *Service) Answered(ctx context.Context, w domain.WorkspaceID, id domain.RunID) (ledger.Message, error) {
	r, err := s.Queue.Get(ctx, w, id)
	if err != nil {
		return ledger.Message{}, err
	}
	of, err := s.MessageOf(ctx, r)
	if err != nil {
		return ledger.Message{}, err
	}
	m, err := s.Ledger.Message(ctx, w, of)
	if err != nil || r.Kind != Kind {
		return m, err
	}
	b, err := s.Ledger.Branch(ctx, w, domain.BranchID(r.Subject))
	return m.AnsweredBy(b), err
}
