package run

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// An Attempt is one try at a run.
type Attempt struct {
	job.Run
	recorder *trace.Recorder
}

// Graph runs g for the attempt: from start, or from where an earlier attempt ended. Events are stored in the same
// transaction as the state that they report.
//
// The queue's lease decides which worker has a run. A worker that lost the lease without noticing fails at its next
// write, because a thread belongs to the worker that opened it last.
func Graph[S any](ctx context.Context, a *Attempt, g stategraph.Runnable[S], start S, opts ...stategraph.RunOption) (S, error) {
	return g.Run(ctx, start, append([]stategraph.RunOption{
		stategraph.Thread(string(a.ID)), stategraph.OrResume(),
		stategraph.Observe(a.recorder.Observe), stategraph.Recorded(a.recorder.Keeps),
	}, opts...)...)
}

// Gathered is like Graph for a graph whose nodes do nothing but ask models and write their
// updates: the run goes on while it is written, and takes along what is recorded of its
// calls. Whatever was answered is written when it returns.
func Gathered[S any](ctx context.Context, a *Attempt, l *ledger.Ledger, g stategraph.Runnable[S], start S, opts ...stategraph.RunOption) (S, error) {
	ctx, tab := l.WithTab(ctx)
	a.recorder.TakeAlong(tab)
	last, err := Graph(ctx, a, g, start, append(opts, stategraph.Gathered())...)
	if failed := tab.Close(context.WithoutCancel(ctx)); failed != nil {
		err = errors.Join(err, failed)
	}
	return last, err
}

// Fork lets [Graph] begin at a super-step of another run of g, with a state that edit may change. An attempt that finds
// the run begun changes nothing. The error is NotFound when the other run's states are no longer kept.
func Fork[S any](ctx context.Context, a *Attempt, g stategraph.Runnable[S], from domain.RunID, step int, edit func(*S)) error {
	if _, err := g.StateAt(ctx, string(a.ID), step); !errors.Is(err, stategraph.ErrNoThread) {
		return err
	}
	return InWords(g.Fork(ctx, string(from), step, string(a.ID), edit))
}

// Events returns the events of the run so far, those of earlier attempts included.
func (a *Attempt) Events(ctx context.Context) ([]trace.Event, error) {
	return a.recorder.Events(ctx)
}

// Text returns the words that the attempt has written so far.
func (a *Attempt) Text() string { return a.recorder.Text() }

// Show shows text to the run's watchers as if the graph had written it.
func (a *Attempt) Show(text string) {
	a.recorder.Observe(stategraph.Event{Kind: stategraph.Custom, Custom: domain.EventToken, Payload: domain.Token{Text: text}})
}
