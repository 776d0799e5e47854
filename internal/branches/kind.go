package branches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs of branches. Their subject is the branch.
const Kind = "branch"

// Kind describes the runs of branches, atOnce of them at a time.
func (s *Service) Kind(atOnce int) run.Kind {
	return run.Kind{
		Name: Kind, Title: "Branch", Plural: "Branches", Opens: "Open the conversation", About: "branch", Gone: "a branch that was deleted",
		Topology: s.Asked.Topology(), State: s.Asked.EncodedAt, Cap: answer.CaseCap, Concurrency: atOnce,
		Subjects: s.subjects, Work: s.answer, Settled: s.settled,
	}
}

func (s *Service) subjects(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
	all, err := s.Ledger.BranchesByID(ctx, w, run.IDs[domain.BranchID](ids))
	if err != nil {
		return nil, err
	}
	messages := make([]domain.MessageID, len(all))
	for i, b := range all {
		messages[i] = b.Message
	}
	asked, err := s.Ledger.Questions(ctx, w, messages)
	subjects := make(map[string]run.Subject, len(all))
	for _, b := range all {
		subjects[string(b.ID)] = run.Subject{Title: b.Question, Path: link.BranchTurn(asked[b.Message].Conversation, b.Message, b.ID)}
	}
	return subjects, err
}

// ChangesOf returns how a branch differs from its parent.
func ChangesOf(b ledger.Branch) (c Changes, err error) {
	if err = json.Unmarshal(b.Changes, &c); err != nil {
		err = fmt.Errorf("decode the changes of branch %s: %w", b.ID, err)
	}
	return c, err
}

// answer carries out an attempt at a branch.
func (s *Service) answer(ctx context.Context, a *run.Attempt) error {
	id := domain.BranchID(a.Subject)
	b, err := s.Ledger.UpdateBranch(ctx, a.Workspace, id, func(b *ledger.Branch) { b.Status = ledger.MessageAnswering })
	if err != nil {
		return err
	}
	changes, err := ChangesOf(b)
	if err != nil {
		return err
	}
	g, err := s.graphFor(ctx, b.Workspace, changes)
	if err != nil {
		return err
	}
	start, err := s.begin(ctx, a, b, changes)
	if err != nil {
		return err
	}
	carryOut := s.Answerer.Answer
	if b.Purpose == string(Replay) {
		carryOut = s.repeating(b.Parent)
	}
	result, err := carryOut(ctx, a, g, start, stategraph.RecursionLimit(b.Super+answer.RecursionLimit(answer.MostLoops)))
	if llm.Unrecorded(err) {
		err = &job.ExpectedError{Err: err}
	}
	if err != nil && result.Answer == "" {
		return err
	}
	_, failed := s.Ledger.UpdateBranch(context.WithoutCancel(ctx), a.Workspace, id, func(b *ledger.Branch) {
		b.Answer, b.Figures = result.Answer, result.Figures
		if err == nil {
			b.Status, b.Problem, b.Sentences, b.Citations = ledger.MessageDone, "", result.Sentences, result.Citations
		}
	})
	return errors.Join(err, failed)
}

// graphFor returns the graph with the model and the prompts that were chosen.
func (s *Service) graphFor(ctx context.Context, w domain.WorkspaceID, c Changes) (stategraph.Runnable[answer.State], error) {
	if c.Model == "" && len(c.Prompts)+len(c.Drafts) == 0 {
		return s.Asked, nil
	}
	book := s.Prompts
	for role, n := range c.Prompts {
		v, err := s.Prompts.Version(ctx, w, role, n)
		if err != nil {
			return nil, err
		}
		if book, err = book.With(role, v.Text); err != nil {
			return nil, err
		}
	}
	for role, text := range c.Drafts {
		var err error
		if book, err = book.With(role, text); err != nil {
			return nil, err
		}
	}
	return s.Graph(c.Model, book)
}

// begin returns the state that the branch begins with at the start of the graph, or
// puts its run at the parent's step.
func (s *Service) begin(ctx context.Context, a *run.Attempt, b ledger.Branch, changes Changes) (start answer.State, err error) {
	edit := func(s *answer.State) {
		if b.Purpose == string(Replay) {
			return
		}
		changes.Apply(s)
		s.Run, s.Review, s.Hint = b.Run, false, false
		if b.Purpose == string(Again) || b.Purpose == string(Edit) && changes.none() {
			s.Salt = string(b.Run)
		}
	}
	if b.Parent != "" {
		return start, run.Fork(ctx, a, s.Asked, b.Parent, b.Super, edit)
	}
	m, err := s.Ledger.Message(ctx, b.Workspace, b.Message)
	if err != nil {
		return start, err
	}
	m.Question, m.Scope = b.Question, b.Scope
	begin, err := s.Answerer.Begin(ctx, m, b.Run)
	start = answer.Start(begin)
	edit(&start)
	return start, err
}

// settled notes on the branch how its run ended.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	_, err := s.Ledger.UpdateBranch(ctx, r.Workspace, domain.BranchID(r.Subject), func(b *ledger.Branch) { b.Status, b.Problem = ledger.MessageStatus(r.Status), r.Problem })
	return err
}
