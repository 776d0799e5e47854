package run

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Runner carries out the runs of some kinds.
type Runner struct {
	Hub     *trace.Hub
	Queue   *job.Queue
	Threads Threads        // of the graphs of all kinds
	Costs   *costs.Service // what models cost

	kinds atomic.Pointer[Kinds]
}

// Use carries out the runs that begin from now on by kinds, which are those of before on other settings or models. A run
// keeps what it began with.
func (r *Runner) Use(kinds Kinds) { r.kinds.Store(&kinds) }

// Threads keeps the threads of runs that have ended.
type Threads interface {
	// End notes in a transaction that the run on a thread has ended.
	End(ctx context.Context, tx *sql.Tx, id string) error
}

// Handlers returns the handlers of the queue's worker, by kind, for the kinds in use.
func (r *Runner) Handlers() map[string]job.Handler {
	kinds := *r.kinds.Load()
	handlers := make(map[string]job.Handler, len(kinds))
	for _, k := range kinds {
		now := func() Kind { return r.kinds.Load().Named(k.Name) }
		handlers[k.Name] = job.Handler{
			Handle:          func(ctx context.Context, j job.Run) error { return r.attempt(ctx, now(), j) },
			Settled:         func(ctx context.Context, j job.Run, mark job.Mark) error { return r.settle(ctx, now(), j, mark) },
			WaitsForServers: k.WaitsForServers,
			PausesAtCap:     k.PausesAtCap,
			Subject:         k.About,
		}
	}
	return handlers
}

func (r *Runner) attempt(ctx context.Context, k Kind, j job.Run) error {
	recorder, err := r.Hub.Record(ctx, j.Workspace, j.ID)
	if err != nil {
		return err
	}
	defer recorder.Close()
	ctx = llm.WithOwner(domain.WithPerson(ctx, j.Person), domain.CallOwner{Workspace: j.Workspace, Run: j.ID}) // for whom models work
	err = k.Work(ctx, &Attempt{Run: j, recorder: recorder})
	if _, asks := errors.AsType[*stategraph.InterruptedError](err); asks {
		return job.ErrAsleep
	}
	return err
}

// settle ends the log of a run last, so that its watchers find the subject settled. What
// else is noted of the end is written with the last event, and marks the run as settled.
func (r *Runner) settle(ctx context.Context, k Kind, j job.Run, mark job.Mark) error {
	recorder, err := r.Hub.Record(ctx, j.Workspace, j.ID)
	if err != nil {
		return err
	}
	if k.Settled != nil {
		if err = k.Settled(ctx, j); domain.KindOf(err) == domain.NotFound {
			err = nil // there is nothing to note it on
		}
	}
	figures, known, failed := r.figures(ctx, k, j, recorder)
	if err = errors.Join(err, failed); err != nil {
		return errors.Join(err, recorder.Close())
	}
	recorder.Settle(string(j.Status), j.Problem, func(ctx context.Context, tx *sql.Tx) error {
		if known {
			if err := r.Queue.Note(ctx, tx, j.Workspace, j.ID, figures); err != nil {
				return err
			}
		}
		if err := r.Threads.End(ctx, tx, string(j.ID)); err != nil {
			return err
		}
		return mark(ctx, tx)
	})
	return recorder.Close()
}

// figures returns the figures of a run that has ended, from its events, and reports
// whether there are any.
func (r *Runner) figures(ctx context.Context, k Kind, j job.Run, recorder *trace.Recorder) (job.Figures, bool, error) {
	events, err := recorder.Events(ctx)
	if err != nil || len(events) == 0 {
		return job.Figures{}, false, err
	}
	figures := k.Figures(j.Status, trace.Fold(j.ID, k.Topology, events))
	if figures.Tokens > 0 {
		spent, err := r.Costs.OfRuns(ctx, j.Workspace, j.ID)
		if err != nil {
			return figures, false, err
		}
		figures.Spent = int64(spent[j.ID].Money)
	}
	return figures, true, nil
}

// Figures sums up a run of the kind that has ended.
func (k Kind) Figures(status job.Status, v *trace.View) job.Figures {
	f := job.Figures{Tokens: v.Tokens(), Resumed: v.Resumed}
	for _, s := range v.Steps {
		f.Capped = f.Capped || k.Cap != "" && slices.ContainsFunc(s.Branches, func(b trace.Branch) bool { return b.Label == k.Cap })
		if s.State == trace.Failed && status == job.Failed {
			f.FailedAt = s.Name()
		}
	}
	return f
}

// KeepEvents returns what stores the events of runs for the threads' checkpointer, in its transaction. A run that has
// finished a task has all its attempts left: however often a process is killed, a run that gets on is not given up.
func KeepEvents(l *ledger.Ledger, q *job.Queue, h *trace.Hub) func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error {
	return func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error {
		b, err := h.Batch(thread, events)
		if err != nil {
			return err
		}
		if b.First {
			if err := q.Progressed(ctx, tx, b.Workspace, b.Run); err != nil {
				return err
			}
		}
		if err := l.SaveCallsTx(ctx, tx, b.Calls); err != nil {
			return err
		}
		removed, err := l.AddEventsTx(ctx, tx, b.Workspace, b.Run, b.Rows)
		if removed {
			h.Forget(b.Run)
		}
		return err
	}
}
