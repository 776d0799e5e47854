package branches

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
)

// An Edited question is asked in place of a message's, from the start.
type Edited struct {
	Workspace domain.WorkspaceID
	Message   domain.MessageID
	Question  string
	Scope     domain.Scope   // within which to ask
	Form      domain.FormKey // of the form that asks it; "" for none
	Runs      job.Adder      // the queue when nil
}

// AskAgain starts a branch that asks a question in place of a message's. Asked in the
// same words within the same scope, models answer once more. The turns that follow the
// message's other answers stay with those. The error is NotFound when there is no such
// message, and otherwise as for a first question.
func (s *Service) AskAgain(ctx context.Context, e Edited) (ledger.Branch, error) {
	m, err := s.Ledger.Message(ctx, e.Workspace, e.Message)
	if err != nil {
		return ledger.Branch{}, err
	}
	begin := Begin{Workspace: e.Workspace, Message: e.Message, Purpose: Edit, Form: e.Form, Runs: e.Runs}
	text, err := s.Answerer.Check(ctx, e.Workspace, e.Question, e.Scope)
	if err != nil {
		return ledger.Branch{}, err
	}
	if text != m.Question {
		begin.Changes.Question = text
	}
	if !slices.Equal(e.Scope.Terms(), m.Scope.Terms()) {
		begin.Changes.Scope = &e.Scope
	}
	return s.Start(ctx, begin)
}
