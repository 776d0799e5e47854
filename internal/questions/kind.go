package questions

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs that answer questions. Their subject is the message.
const Kind = answer.Name

// Kind describes the runs that answer questions, atOnce of them at a time.
func (s *Service) Kind(atOnce int) run.Kind {
	return run.Kind{
		Name: Kind, Title: "Answer", Plural: "Answers", Opens: "Open the conversation", About: "message", Gone: "a question that was deleted",
		Topology: s.Graph.Topology(), State: s.Graph.EncodedAt, Cap: answer.CaseCap, Concurrency: atOnce,
		Subjects: s.subjects, Work: s.answer, Settled: s.settled,
	}
}

func (s *Service) subjects(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
	asked, err := s.Ledger.Questions(ctx, w, run.IDs[domain.MessageID](ids))
	subjects := make(map[string]run.Subject, len(asked))
	for id, q := range asked {
		subjects[string(id)] = run.Subject{Title: q.Question, Path: link.TurnAt(q.Conversation, id, "")}
	}
	return subjects, err
}

// answer answers the question of one run.
func (s *Service) answer(ctx context.Context, a *run.Attempt) error {
	id := domain.MessageID(a.Subject)
	in, err := inputOf(a.Run)
	if err != nil {
		return err
	}
	m, err := s.Ledger.UpdateMessage(ctx, a.Workspace, id, func(m *ledger.Message) { m.Status = ledger.MessageAnswering })
	if err != nil {
		return err
	}
	begin, err := s.Begin(ctx, m, a.ID)
	if err != nil {
		return err
	}
	begin.Review, begin.Hint = in.Review, in.Hint
	opts, err := s.answered(ctx, a.Run, in)
	if err != nil {
		return err
	}
	result, err := s.Answer(ctx, a, s.Graph, answer.Start(begin), append(opts, stategraph.RecursionLimit(answer.RecursionLimit(begin.MaxLoops)))...)
	if asked, ok := errors.AsType[*stategraph.InterruptedError](err); ok {
		return s.wait(ctx, a, in, asked)
	}
	if err != nil && result.Answer == "" {
		return err
	}
	_, failed := s.Ledger.UpdateMessage(context.WithoutCancel(ctx), a.Workspace, id, func(m *ledger.Message) {
		m.Answer, m.Figures = result.Answer, result.Figures
		if err == nil {
			m.Status, m.Problem, m.Sentences, m.Citations = ledger.MessageDone, "", result.Sentences, result.Citations
		}
	})
	return errors.Join(err, failed)
}

// Answer carries out an attempt at an answer by g, from start or from where an earlier attempt ended. With an error it
// returns what an answer that broke off had written, with the charts that were settled.
func (s *Service) Answer(ctx context.Context, a *run.Attempt, g stategraph.Runnable[answer.State], start answer.State, opts ...stategraph.RunOption) (answer.Result, error) {
	if s.Admit != nil {
		var err error
		if ctx, err = s.Admit(ctx, a.Workspace); err != nil {
			return answer.Result{}, err
		}
	}
	shown, err := shownBefore(ctx, a)
	if err != nil {
		return answer.Result{}, err
	}
	limited, cancel := s.limited(ctx)
	defer cancel()
	final, err := run.Gathered(limited, a, s.Ledger, g, start, append(opts, stategraph.MaxConcurrency(s.AtOnce),
		stategraph.Observe(func(e stategraph.Event) {
			if e.Kind == stategraph.RunStart && e.Resumed && len(e.Path) == 1 && shown != "" {
				a.Show(shown)
			}
		}))...)
	if _, asks := errors.AsType[*stategraph.InterruptedError](err); asks {
		return answer.Result{}, err
	}
	if errors.Is(context.Cause(limited), errTooLong) && err != nil {
		err = domain.Because(domain.TooLarge, err, "The answer took longer than %s, the most that QUESTION_TIMEOUT allows. Ask again, or ask for less.", s.Timeout)
	}
	if err != nil {
		part, failed := written(context.WithoutCancel(ctx), a, g.Topology())
		return part, errors.Join(err, failed)
	}
	return final.Result(), nil
}

// wait notes that a question waits for a person. A run that began again asks what was replied to before, and goes on.
func (s *Service) wait(ctx context.Context, a *run.Attempt, in input, asked *stategraph.InterruptedError) error {
	if in.Reply != nil && in.Reply.To == asked.Questions[0].ID {
		return s.answer(ctx, a)
	}
	_, err := s.Ledger.UpdateMessage(context.WithoutCancel(ctx), a.Workspace, domain.MessageID(a.Subject), func(m *ledger.Message) { m.Status = ledger.MessageAsking })
	return cmp.Or[error](err, asked)
}

// errTooLong ends the context of an answer that takes too long.
var errTooLong = errors.New("the answer takes too long")

// limited returns the context of one answer.
func (s *Service) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.Timeout, errTooLong)
}

// Begin returns with what a run about a message begins: its question, and the exchanges before it.
func (s *Service) Begin(ctx context.Context, m ledger.Message, id domain.RunID) (answer.Begin, error) {
	history, err := s.history(ctx, m, id)
	if err != nil {
		return answer.Begin{}, err
	}
	var within []domain.DocumentID
	if !m.Scope.All() {
		if within, err = s.Ledger.Within(ctx, m.Workspace, m.Scope); err != nil {
			return answer.Begin{}, err
		}
	}
	pin, err := s.Prompts.Pin(ctx, m.Workspace)
	if err != nil {
		return answer.Begin{}, err
	}
	var budget answer.Budget
	if s.Budget != nil {
		budget, err = s.Budget(ctx, m.Workspace)
	}
	return answer.Begin{
		Workspace: m.Workspace, Question: m.Question, History: history,
		MaxLoops: s.MaxLoops, MinRelevant: s.MinRelevant, Run: id, Prompts: pin, Method: m.Method, Scope: m.Scope, Within: within, Budget: budget,
	}, err
}

// history returns the exchanges before a message, oldest first, as the run reads them.
func (s *Service) history(ctx context.Context, m ledger.Message, id domain.RunID) ([]answer.Exchange, error) {
	earlier, err := s.before(ctx, m)
	if err != nil || len(earlier) == 0 {
		return nil, err
	}
	var runs []domain.RunID
	for _, e := range earlier {
		runs = append(runs, e.Run)
	}
	if err := s.Ledger.NoteHistory(ctx, m.Workspace, id, runs); err != nil {
		return nil, err
	}
	if earlier, err = s.before(ctx, m); err != nil { // without what was deleted before the note
		return nil, err
	}
	var history []answer.Exchange
	for _, e := range earlier {
		history = append(history, answer.Exchange{Question: e.Question, Answer: e.Answer})
	}
	return history, nil
}

// before returns the last turns before a message that are answered, oldest first.
func (s *Service) before(ctx context.Context, m ledger.Message) ([]Turn, error) {
	t, err := s.Tree(ctx, m.Workspace, m.Conversation)
	if err != nil {
		return nil, err
	}
	answered := slices.DeleteFunc(t.Before(m.ID), func(b Turn) bool { return b.Status != ledger.MessageDone })
	return answered[max(0, len(answered)-remembered):], nil
}

// shownBefore returns the text that an earlier attempt has shown and that this one does not write again.
func shownBefore(ctx context.Context, a *run.Attempt) (string, error) {
	events, err := a.Events(ctx)
	for _, e := range slices.Backward(events) {
		if e.Kind != string(stategraph.NodeEnd) || e.Node != answer.NodeModel {
			continue
		}
		if text, ok := answer.TextSoFar(e.Update); ok {
			return text, err
		}
	}
	return "", err
}

// written returns what an attempt that broke off has written, with the charts that were settled.
func written(ctx context.Context, a *run.Attempt, t stategraph.Topology) (answer.Result, error) {
	text := a.Text()
	if text == "" {
		return answer.Result{}, nil
	}
	events, err := a.Events(ctx)
	pending := func(f domain.Figure) bool { return f.Status == domain.FigurePending }
	return answer.Result{Answer: text, Figures: slices.DeleteFunc(trace.Fold(a.ID, t, events).Figures, pending)}, err
}

// settled notes on the message how its run ended. A run that is done has noted it with its answer.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	if r.Status == job.Done {
		return nil
	}
	_, err := s.Ledger.UpdateMessage(ctx, r.Workspace, domain.MessageID(r.Subject), func(m *ledger.Message) {
		m.Status, m.Problem = ledger.MessageStatus(r.Status), r.Problem
	})
	return err
}
