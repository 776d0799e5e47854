package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
)

// StartReplay queues a replay of an answer: the same initial state, and the recorded
// answers of models and people. It replaces an earlier replay of the run. The error is Invalid for a run that answers no
// question, Conflict for one that has not finished, and NotFound when its states are
// no longer kept.
func (s *Service) StartReplay(ctx context.Context, w domain.WorkspaceID, id domain.RunID, runs job.Adder) (ledger.Answer, error) {
	r, err := s.Queue.Get(ctx, w, id)
	switch {
	case err != nil:
		return ledger.Answer{}, err
	case r.Kind != Kind && r.Kind != BranchKind:
		return ledger.Answer{}, domain.Errorf(domain.Invalid, "Only answers can be replayed, and this run is not an answer.")
	case r.Status != job.Done:
		return ledger.Answer{}, domain.Errorf(domain.Conflict, "Only finished answers can be replayed, and this one is %s.", r.Status)
	}
	v := Variation{Workspace: w, Parent: id, Purpose: Replay, Runs: runs}
	if r.Kind == BranchKind { // its model and prompts
		b, err := s.Ledger.Answer(ctx, w, id)
		if err != nil {
			return b, err
		}
		c, err := ChangesOf(b)
		if err != nil {
			return b, err
		}
		v.Changes = Changes{Model: c.Model, Prompts: c.Prompts, Drafts: c.Drafts}
	}
	before, err := s.replay(ctx, r)
	if err != nil {
		return ledger.Answer{}, err
	}
	b, err := s.Vary(ctx, v)
	if err == nil && before != nil {
		err = s.DeleteBranch(ctx, w, before.Branch)
	}
	return b, err
}

// A Replayed is a replay of a run, compared with it.
type Replayed struct {
	ledger.Answer
	compare.Replay
}

// Replayed returns the replay of a run, or nil if there is none.
func (s *Service) Replayed(ctx context.Context, r job.Run) (*Replayed, error) {
	b, err := s.replay(ctx, r)
	if err != nil || b == nil {
		return nil, err
	}
	events, err := s.Hub.EventsOf(ctx, r.Workspace, []domain.RunID{r.ID, b.Run})
	if err != nil {
		return nil, err
	}
	return &Replayed{*b, compare.Replays(s.Graph.Stable, s.Graph.Topology(), events[r.ID], events[b.Run])}, nil
}

// replay returns the latest replay of a run, or nil if there is none.
func (s *Service) replay(ctx context.Context, r job.Run) (*ledger.Answer, error) {
	all, err := s.Ledger.BranchesFrom(ctx, r.Workspace, r.ID)
	for _, b := range slices.Backward(all) {
		if b.Purpose == string(Replay) {
			return &b, err
		}
	}
	return nil, err
}

// repeating returns a function that carries out an attempt at a replay, with the
// replies that the replayed run was given.
func (s *Service) repeating(parent domain.RunID) func(context.Context, *run.Attempt, stategraph.Runnable[answer.State], answer.State, ...stategraph.RunOption) (answer.Result, error) {
	return func(ctx context.Context, a *run.Attempt, g stategraph.Runnable[answer.State], start answer.State, opts ...stategraph.RunOption) (answer.Result, error) {
		given, err := g.Answers(ctx, string(parent))
		if err != nil {
			return answer.Result{}, err
		}
		ctx = llm.OnlyRecorded(ctx)
		with := opts
		for {
			result, err := s.Answer(ctx, a, g, start, with...)
			asked, asks := errors.AsType[*stategraph.InterruptedError](err)
			if !asks {
				return result, err
			}
			reply, err := replyTo(asked.Questions[0], given)
			if err != nil {
				return result, err
			}
			with = append(slices.Clip(opts), reply)
		}
	}
}

// replyTo returns the reply that was given to a question of the run that is replayed.
func replyTo(q stategraph.Question, given map[string]json.RawMessage) (stategraph.RunOption, error) {
	data, ok := given[q.ID]
	if !ok {
		return nil, domain.Errorf(domain.Invalid, "This asks a person something that nobody was asked before.")
	}
	var r answer.Reply
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("decode the reply to %s: %w", q.ID, err)
	}
	return stategraph.Answer(q.ID, r), nil
}
