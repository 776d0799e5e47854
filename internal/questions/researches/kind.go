package researches

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs that research. Their subject is the research.
const Kind = research.Name

// concurrency is low because the questions of each are answered at the same time.
const concurrency = 2

// Kind describes the runs that research.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Research", Plural: "Researches", Opens: "Open the report", About: "research", Gone: "a research that was deleted",
		Topology: s.Graph.Topology(), State: s.Graph.EncodedAt, Concurrency: concurrency, PausesAtCap: true,
		Subjects: s.subjects, Work: s.work, Settled: s.settled,
	}
}

func (s *Service) subjects(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
	found, err := s.Ledger.ResearchesNamed(ctx, w, run.IDs[domain.ResearchID](ids))
	subjects := make(map[string]run.Subject, len(found))
	for _, r := range found {
		subjects[string(r.ID)] = run.Subject{Title: r.Answer.Question, Path: link.Research(r.ID)}
	}
	return subjects, err
}

// work carries out an attempt at a research.
func (s *Service) work(ctx context.Context, a *run.Attempt) error {
	id := domain.ResearchID(a.Subject)
	r, err := s.Ledger.Research(ctx, a.Workspace, id)
	if err != nil {
		return err
	}
	if _, err := s.Ledger.UpdateAnswer(ctx, a.Workspace, a.ID, func(a *ledger.Answer) { a.Status = ledger.MessageAnswering }); err != nil {
		return err
	}
	start, err := s.begin(ctx, r)
	if err != nil {
		return err
	}
	opts := []stategraph.RunOption{stategraph.RecursionLimit(research.RecursionLimit(r.Rounds)), stategraph.MaxConcurrency(s.Questions.AtOnce)}
	if r.Edits != nil {
		open, err := s.Graph.Questions(ctx, string(a.ID))
		if err != nil {
			return err
		}
		for _, q := range open {
			opts = append(opts, stategraph.Answer(q.ID, r.Edits))
		}
	}
	final, err := run.Graph(ctx, a, s.Graph, start, opts...)
	after := context.WithoutCancel(ctx)
	if asks, ok := errors.AsType[*stategraph.InterruptedError](err); ok {
		return s.wait(after, a, asks)
	}
	if err != nil {
		events, failed := a.Events(after)
		if failed == nil {
			var part research.State
			if part, failed = soFar(events); failed == nil {
				failed = s.keep(after, r, part, ledger.MessageAnswering)
			}
		}
		return errors.Join(err, failed)
	}
	return s.keep(after, r, final, ledger.MessageDone)
}

// begin returns the state in which a run begins.
func (s *Service) begin(ctx context.Context, r ledger.Research) (st research.State, err error) {
	st = research.State{Question: r.Answer.Question, Rounds: r.Rounds, Most: r.Questions, Tokens: int64(r.Budget), Review: r.Review, Planned: r.Plan}
	st.Begin = answer.Begin{Workspace: r.Workspace, Run: r.Run, MaxLoops: s.Questions.MaxLoops, MinRelevant: s.Questions.MinRelevant, Scope: r.Answer.Scope}
	if !r.Answer.Scope.All() {
		if st.Begin.Within, err = s.Ledger.Within(ctx, r.Workspace, r.Answer.Scope); err != nil {
			return st, err
		}
	}
	if st.Begin.Prompts, err = s.Questions.Prompts.Pin(ctx, r.Workspace); err != nil {
		return st, err
	}
	st.Begin.Budget, err = s.Questions.Allowed(ctx, r.Workspace, 0)
	return st, err
}

// wait records that a plan waits for a person. If an edit came meanwhile, the run continues.
func (s *Service) wait(ctx context.Context, a *run.Attempt, asks *stategraph.InterruptedError) error {
	var plan []research.Question
	if err := json.Unmarshal(asks.Questions[0].Payload, &plan); err != nil {
		return err
	}
	if _, err := s.Ledger.UpdateAnswer(ctx, a.Workspace, a.ID, func(a *ledger.Answer) { a.Status = ledger.MessageAsking }); err != nil {
		return err
	}
	edited := false
	err := s.Ledger.UpdateResearch(ctx, a.Workspace, domain.ResearchID(a.Subject), func(r *ledger.Research) { r.Plan, edited = plan, r.Edits != nil })
	switch {
	case err != nil:
		return err
	case edited:
		return s.work(ctx, a)
	}
	return asks
}

// keep stores what a run has found.
func (s *Service) keep(ctx context.Context, r ledger.Research, st research.State, status ledger.MessageStatus) error {
	report := st.Report()
	if err := s.Ledger.UpdateResearch(ctx, r.Workspace, r.ID, func(r *ledger.Research) {
		if len(st.Planned) > 0 {
			r.Plan = slices.Clone(st.Planned)
		}
		for i, q := range r.Plan {
			r.Plan[i].Came = report.Came[q.N]
		}
		r.Notes = st.Notes
	}); err != nil {
		return err
	}
	_, err := s.Ledger.UpdateAnswer(ctx, r.Workspace, r.Run, func(a *ledger.Answer) {
		a.Status, a.Text, a.Sentences, a.Citations = status, Text(report.Sentences), report.Sentences, report.Citations
		if status == ledger.MessageDone {
			a.Problem = ""
		}
	})
	return err
}

// settled records how a run ended.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	if err := s.Ledger.UpdateResearch(ctx, r.Workspace, domain.ResearchID(r.Subject), func(r *ledger.Research) { r.Edits = nil }); err != nil || r.Status == job.Done {
		return err
	}
	_, err := s.Ledger.UpdateAnswer(ctx, r.Workspace, r.ID, func(a *ledger.Answer) { a.Status, a.Problem = ledger.MessageStatus(r.Status), r.Problem })
	return err
}

// soFar returns the plan and the findings recorded in events.
func soFar(events []trace.Event) (research.State, error) {
	var updates []json.RawMessage
	for _, e := range events {
		if e.Kind == string(stategraph.NodeEnd) && len(e.Path) == 1 && len(e.Update) > 0 {
			updates = append(updates, e.Update)
		}
	}
	return research.SoFar(updates...)
}
