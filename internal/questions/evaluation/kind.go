package evaluation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
)

// Kind names the runs that ask the questions of evaluations. Their subject is the
// evaluation with the number of the question, see Subject.
const Kind = "evaluation"

// Subject returns the subject of the run that asks the n-th question of an evaluation.
func Subject(id domain.EvaluationID, n int) string { return string(id) + "." + strconv.Itoa(n) }

// Of returns the ids of the evaluations that subjects name, each once.
func Of(subjects []string) []string {
	ids := make([]string, len(subjects))
	for i, s := range subjects {
		ids[i], _, _ = strings.Cut(s, ".")
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Get returns an evaluation without its replies.
func (s *Service) Get(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID) (Evaluation, error) {
	row, err := s.Ledger.Evaluation(ctx, w, id)
	if err != nil {
		return Evaluation{}, err
	}
	return decoded(row)
}

// Score stores how well a run has answered its question, and its cost.
func (s *Service) Score(ctx context.Context, a ledger.Answer, result answer.Result, took time.Duration, resumed bool) error {
	r, err := s.Ledger.EvaluationReply(ctx, a.Workspace, a.Run)
	if err != nil {
		return err
	}
	spent, err := s.Costs.OfRuns(ctx, a.Workspace, a.Run)
	if err != nil {
		return err
	}
	q, sum := Question{Text: r.Text, Sources: r.Sources, Answers: r.Answers}, spent[a.Run]
	return s.score(ctx, a, Figures{
		Verdict: verdict(q, result), Ranks: ranks(q, result), Millis: took.Milliseconds(), Resumed: resumed, Tokens: sum.Tokens, Spent: Spent{sum.Money, !sum.Known()},
	})
}

func (s *Service) score(ctx context.Context, a ledger.Answer, f Figures) error {
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode the figures of run %s: %w", a.Run, err)
	}
	return s.Ledger.ScoreReply(context.WithoutCancel(ctx), a.Workspace, a.Run, data)
}

// Settle records how the run of a question ended, before that is noted on its answer. A run that was stopped stops its
// evaluation.
func (s *Service) Settle(ctx context.Context, r job.Run, a ledger.Answer) error {
	switch r.Status {
	case job.Failed:
		return s.score(ctx, a, Figures{Verdict: Failed})
	case job.Stopped:
		return s.end(ctx, a.Workspace, a.Evaluation, ledger.EvaluationStopped)
	}
	return nil
}

// Next queues the question after an answered one.
func (s *Service) Next(ctx context.Context, a ledger.Answer) error {
	e, err := s.Ledger.Evaluation(ctx, a.Workspace, a.Evaluation)
	if err != nil {
		return err
	}
	if e.Status == ledger.EvaluationStopped {
		return s.end(ctx, a.Workspace, e.ID, ledger.EvaluationStopped)
	}
	return s.advance(ctx, e)
}
