package questions

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/trace"
)

// Handle answers the question of one run. It is the queue's handler for Kind.
func (a *Service) Handle(ctx context.Context, run job.Run) error {
	id := domain.MessageID(run.Subject)
	begin, err := a.prepare(ctx, run, id)
	if err != nil {
		return err
	}
	recorder, err := a.Hub.Record(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	defer recorder.Close()
	shown, err := a.shown(ctx, run)
	if err != nil {
		return err
	}
	var said written
	opts := []stategraph.RunOption{
		stategraph.RecursionLimit(answer.RecursionLimit(begin.MaxLoops)),
		stategraph.MaxConcurrency(a.AtOnce),
		stategraph.Observe(func(e stategraph.Event) {
			said.observe(e)
			recorder.Observe(e)
			if e.Kind == stategraph.RunStart && e.Resumed && len(e.Path) == 1 && shown != "" {
				e = stategraph.Event{Kind: stategraph.Custom, Custom: domain.EventToken, Payload: domain.Token{Text: shown}}
				said.observe(e)
				recorder.Observe(e)
			}
		}),
	}
	if a.Threads != nil {
		// The queue gives a run to one worker at a time: whoever wrote before is gone.
		opts = append(opts, stategraph.Thread(string(run.ID)), stategraph.OrResume(), stategraph.TakeOver(), stategraph.Recorded(recorder.Keeps))
	}
	final, err := a.Graph.Run(ctx, answer.Start(begin), opts...)
	if err != nil {
		return errors.Join(err, a.keepPart(ctx, run, id, said.text()))
	}
	result := final.Result()
	_, err = a.Ledger.UpdateMessage(context.WithoutCancel(ctx), run.Workspace, id, func(m *ledger.Message) {
		m.Status, m.Problem = ledger.MessageDone, ""
		m.Answer, m.Sentences, m.Citations, m.Figures = result.Answer, result.Sentences, result.Citations, result.Figures
	})
	return err
}

// prepare reads the question with what was said before it.
func (a *Service) prepare(ctx context.Context, run job.Run, id domain.MessageID) (answer.Begin, error) {
	m, err := a.Ledger.UpdateMessage(ctx, run.Workspace, id, func(m *ledger.Message) { m.Status = ledger.MessageAnswering })
	if err != nil {
		return answer.Begin{}, err
	}
	all, err := a.Ledger.Messages(ctx, run.Workspace, m.Conversation)
	if err != nil {
		return answer.Begin{}, err
	}
	var history []answer.Exchange
	for _, before := range all {
		if before.ID == m.ID {
			break
		}
		if before.Status == ledger.MessageDone {
			history = append(history, answer.Exchange{Question: before.Question, Answer: before.Answer})
		}
	}
	history = history[max(0, len(history)-remembered):]
	return answer.Begin{
		Workspace: run.Workspace, Question: m.Question, History: history,
		MaxLoops: a.MaxLoops, MinRelevant: a.MinRelevant, Run: run.ID,
	}, nil
}

// shown is the text that a reader saw of an attempt which was cut off, as far
// as it will not be written again.
func (a *Service) shown(ctx context.Context, run job.Run) (string, error) {
	events, err := a.Hub.Events(ctx, run.Workspace, run.ID, 0)
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

// keepPart keeps what had been written when an answer broke off, with the
// charts that were settled.
func (a *Service) keepPart(ctx context.Context, run job.Run, id domain.MessageID, text string) error {
	if text == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	events, err := a.Hub.Events(ctx, run.Workspace, run.ID, 0)
	if err != nil {
		return err
	}
	settled := slices.DeleteFunc(trace.Fold(run.ID, a.Graph.Topology(), events).Figures, func(f domain.Figure) bool { return f.Status == domain.FigurePending })
	_, err = a.Ledger.UpdateMessage(ctx, run.Workspace, id, func(m *ledger.Message) { m.Answer, m.Figures = text, settled })
	return err
}

// Settled notes on the message how its run ended. It is the queue's callback
// for runs of Kind that will not be tried again.
func (a *Service) Settled(ctx context.Context, run job.Run) error {
	recorder, err := a.Hub.Record(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	status := map[job.Status]ledger.MessageStatus{
		job.Done: ledger.MessageDone, job.Failed: ledger.MessageFailed, job.Stopped: ledger.MessageStopped,
	}[run.Status]
	_, err = a.Ledger.UpdateMessage(ctx, run.Workspace, domain.MessageID(run.Subject), func(m *ledger.Message) {
		m.Status, m.Problem = status, run.Problem
	})
	if a.Threads != nil {
		err = errors.Join(err, a.Threads.Delete(ctx, string(run.ID)))
	}
	recorder.Settle(string(run.Status), run.Problem)
	return errors.Join(err, recorder.Close())
}

// written gathers the words of an answer as they come.
type written struct {
	mu  sync.Mutex
	all []byte
}

func (w *written) observe(e stategraph.Event) {
	if token, ok := e.Payload.(domain.Token); ok {
		w.mu.Lock()
		w.all = append(w.all, token.Text...)
		w.mu.Unlock()
	}
}

func (w *written) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.all)
}
