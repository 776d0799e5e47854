package trace

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
)

// Recorder writes the events of one attempt at a run. It is for one run and
// one goroutine at a time, as the engine calls its observer.
type Recorder struct {
	hub       *Hub
	live      *live
	ctx       context.Context // outlives a stop, so that the stop itself is recorded
	workspace domain.WorkspaceID
	run       domain.RunID
	seq       int
	resuming  bool
	failed    error
}

// Record continues the log of a run. The recorder writes on after ctx is
// cancelled; Close it when the attempt is over.
func (h *Hub) Record(ctx context.Context, w domain.WorkspaceID, run domain.RunID) (*Recorder, error) {
	ctx = context.WithoutCancel(ctx)
	events, err := h.Events(ctx, w, run, 0)
	if err != nil {
		return nil, err
	}
	last := 0 // which is not their number when a deleted document has taken events along
	if n := len(events); n > 0 {
		last = events[n-1].Seq
	}
	return &Recorder{hub: h, live: h.join(run), ctx: ctx, workspace: w, run: run, seq: last, resuming: last > 0}, nil
}

// Observe takes one engine event: words go to the watchers, everything else to
// the log first. A run that starts, starts its text anew.
func (r *Recorder) Observe(e stategraph.Event) {
	if token, ok := e.Payload.(domain.Token); ok {
		r.hub.change(r.live, func(l *live) { l.text += token.Text })
		return
	}
	if e.Kind == stategraph.StepStart || e.Kind == stategraph.Saved {
		return
	}
	stored, err := fromEngine(e)
	if err != nil {
		r.fail(fmt.Errorf("encode the payload of a %s event: %w", e.Custom, err))
		return
	}
	if e.Kind == stategraph.RunStart && len(e.Path) <= 1 {
		stored.Resuming = r.resuming
		r.hub.change(r.live, func(l *live) { l.text, l.round = "", l.round+1 })
	}
	r.append(stored)
}

// Settle writes the run's last event: its final status, and what went wrong.
func (r *Recorder) Settle(status, problem string) {
	r.append(Event{At: r.hub.now(), Kind: Settled, Label: status, Problem: problem})
}

// Close ends the attempt and reports whether an event could not be written.
func (r *Recorder) Close() error {
	r.hub.leave(r.run)
	return r.failed
}

func (r *Recorder) append(e Event) {
	e.Seq = r.seq + 1
	row, err := json.Marshal(e)
	if err == nil {
		err = r.hub.store.AppendEvents(r.ctx, r.workspace, r.run, []ledger.EventRow{{Seq: e.Seq, At: e.At, JSON: row}})
	}
	if err != nil {
		r.fail(fmt.Errorf("store event %d of run %s: %w", e.Seq, r.run, err))
		return
	}
	r.seq++
	r.hub.change(r.live, func(*live) {})
}

// fail keeps the first failure for Close and logs it at once: a run goes on
// without its picture rather than fail because of it.
func (r *Recorder) fail(err error) {
	if r.failed == nil {
		r.failed = err
		r.hub.log.ErrorContext(r.ctx, "trace", "run", r.run, "err", err)
	}
}
