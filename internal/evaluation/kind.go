package evaluation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs that ask the questions of evaluations. Their subject is the
// evaluation with the number of the question.
const Kind = "evaluation"

func subjectOf(r ledger.EvaluationReply) string {
	return string(r.Evaluation) + "." + strconv.Itoa(r.N)
}

// Kind describes the runs that ask the questions of evaluations. They go on one after
// another, so that their times can be compared, and wait while a server or a cap keeps
// them from being answered.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Evaluation", Plural: "Evaluations", Apart: true, Opens: "Open the evaluation", About: "evaluation", Gone: "a question of an evaluation that was deleted",
		Topology: s.Asked.Topology(), State: s.Asked.EncodedAt, Cap: answer.CaseCap, Concurrency: 1, WaitsForServers: true, PausesAtCap: true,
		Subjects: s.subjects, Work: s.ask, Settled: s.settled,
	}
}

func (s *Service) subjects(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
	var of []domain.EvaluationID
	for _, id := range ids {
		evaluation, _, _ := strings.Cut(id, ".")
		of = append(of, domain.EvaluationID(evaluation))
	}
	slices.Sort(of)
	replies, err := s.Ledger.EvaluationReplies(ctx, w, slices.Compact(of)...)
	subjects := make(map[string]run.Subject, len(replies))
	for _, r := range replies {
		subjects[subjectOf(r)] = run.Subject{Title: r.Text, Path: link.EvaluationReply(r.Evaluation, r.N)}
	}
	return subjects, err
}

// ask carries out an attempt at a question of an evaluation.
func (s *Service) ask(ctx context.Context, a *run.Attempt) error {
	r, err := s.Ledger.EvaluationReply(ctx, a.Workspace, a.ID)
	if err != nil {
		return err
	}
	row, err := s.Ledger.Evaluation(ctx, a.Workspace, r.Evaluation)
	if err != nil {
		return err
	}
	e, err := decoded(row)
	if err != nil {
		return err
	}
	graph, err := s.graphOf(e)
	if err != nil {
		return err
	}
	begin, err := s.begin(ctx, e, r)
	if err != nil {
		return err
	}
	f := Figures{}
	start := s.Now()
	result, err := s.Answerer.Answer(ctx, a, graph, answer.Start(begin), stategraph.RecursionLimit(answer.RecursionLimit(begin.MaxLoops)),
		stategraph.Observe(func(ev stategraph.Event) { f.Resumed = f.Resumed || ev.Kind == stategraph.RunStart && ev.Resumed }))
	if err != nil {
		return err
	}
	q := Question{Text: r.Text, Sources: r.Sources, Answers: r.Answers}
	f.Verdict, f.Ranks = verdict(q, result), ranks(q, result)
	if !f.Resumed {
		f.Millis = s.Now().Sub(start).Milliseconds()
	}
	spent, err := s.Costs.OfRuns(ctx, a.Workspace, a.ID)
	if err != nil {
		return err
	}
	sum := spent[a.ID]
	f.Tokens, f.Cost, f.Unpriced = sum.Tokens, sum.Money, !sum.Known()
	return s.store(ctx, a.Workspace, a.ID, ledger.ReplyDone, result.Answer, "", f)
}

// store stores the reply of a run.
func (s *Service) store(ctx context.Context, w domain.WorkspaceID, id domain.RunID, status ledger.ReplyStatus, text, problem string, f Figures) error {
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode the figures of run %s: %w", id, err)
	}
	return s.Ledger.UpdateReply(context.WithoutCancel(ctx), w, id, func(r *ledger.EvaluationReply) {
		r.Status, r.Answer, r.Problem, r.Figures = status, text, problem, data
	})
}

// begin returns the input of a run. Models are asked although they may have been asked
// the same before: what another evaluation has paid would be missing from the figures
// of this one.
func (s *Service) begin(ctx context.Context, e Evaluation, r ledger.EvaluationReply) (answer.Begin, error) {
	b := answer.Begin{
		Workspace: r.Workspace, Question: r.Text, MaxLoops: e.Setting.MaxLoops, MinRelevant: s.MinRelevant,
		Run: r.Run, Salt: string(r.Run), Prompts: e.Facts.Prompts, Method: e.Setting.Method,
	}
	var err error
	if s.Budget != nil {
		b.Budget, err = s.Budget(ctx, r.Workspace)
	}
	return b, err
}

// graphOf returns the graph that answers by an evaluation's setting. It is kept for
// the questions that follow, because it knows how its model takes structured answers.
func (s *Service) graphOf(e Evaluation) (stategraph.Runnable[answer.State], error) {
	same := e.Setting
	same.Method, same.MaxLoops = s.Usual.Method, s.Usual.MaxLoops
	if same == s.Usual {
		return s.Asked, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.evaluation == e.ID {
		return s.last.graph, nil
	}
	g, err := s.Graph(e.Setting)
	if err == nil {
		s.last.evaluation, s.last.graph = e.ID, g
	}
	return g, err
}

// settled notes how a run ended, and lets the next question be asked. A run that was
// stopped stops its evaluation.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	asked, err := s.Ledger.EvaluationReply(ctx, r.Workspace, r.ID)
	if err != nil {
		return err
	}
	switch r.Status {
	case job.Failed:
		err = s.store(ctx, r.Workspace, r.ID, ledger.ReplyFailed, "", r.Problem, Figures{Verdict: Failed})
	case job.Stopped: // the evaluation first: while the reply is open, nobody lets it go on
		if err := s.end(ctx, r.Workspace, asked.Evaluation, ledger.EvaluationStopped); err != nil {
			return err
		}
		return s.Ledger.UpdateReply(ctx, r.Workspace, r.ID, func(r *ledger.EvaluationReply) { r.Status = ledger.ReplyStopped })
	}
	if err != nil {
		return err
	}
	e, err := s.Ledger.Evaluation(ctx, r.Workspace, asked.Evaluation)
	if err != nil {
		return err
	}
	if e.Status == ledger.EvaluationStopped {
		return s.end(ctx, r.Workspace, e.ID, ledger.EvaluationStopped)
	}
	return s.advance(ctx, e)
}
