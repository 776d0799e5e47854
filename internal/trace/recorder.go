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
//
// Events of a run on a thread are written with what they tell of: the engine
// is given Keeps, and the thread's store asks [Hub.Rows] for their form. The
// recorder itself writes what comes to it unwritten.
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
	r := &Recorder{hub: h, live: h.join(run), ctx: ctx, workspace: w, run: run, resuming: len(events) > 0}
	if r.resuming { // their count is less when a deleted document has taken events along
		r.seq = events[len(events)-1].Seq
	}
	h.mu.Lock()
	h.recorders[run] = r
	h.mu.Unlock()
	return r, nil
}

// Rows are events of the run on a thread, which has the run's name, in the
// form in which they are stored. Numbers are the store's to give.
func (h *Hub) Rows(thread string, events []stategraph.Event) (domain.WorkspaceID, domain.RunID, []ledger.EventRow, error) {
	h.mu.Lock()
	r := h.recorders[domain.RunID(thread)]
	h.mu.Unlock()
	if r == nil {
		return "", "", nil, fmt.Errorf("nobody records run %s", thread)
	}
	rows := make([]ledger.EventRow, len(events))
	for i, e := range events {
		stored, err := r.stored(e)
		if err != nil {
			return "", "", nil, err
		}
		text, err := json.Marshal(stored)
		if err != nil {
			return "", "", nil, fmt.Errorf("encode a %s event of run %s: %w", e.Kind, r.run, err)
		}
		rows[i] = ledger.EventRow{At: e.At, JSON: text}
	}
	return r.workspace, r.run, rows, nil
}

// Keeps reports whether an event belongs into the log: words of the text are
// transient, and what a step is made of is told by its nodes.
func (r *Recorder) Keeps(e stategraph.Event) bool {
	_, token := e.Payload.(domain.Token)
	return !token && e.Kind != stategraph.StepStart && e.Kind != stategraph.Saved
}

// stored is the form of an event in the log.
func (r *Recorder) stored(e stategraph.Event) (Event, error) {
	out, err := fromEngine(e)
	if err != nil {
		return out, fmt.Errorf("encode the payload of a %s event: %w", e.Custom, err)
	}
	out.Resuming = begins(e) && r.resuming
	return out, nil
}

// begins reports whether an event starts the run itself.
func begins(e stategraph.Event) bool { return e.Kind == stategraph.RunStart && len(e.Path) <= 1 }

// Observe takes one engine event: words go to the watchers, everything else to
// the log first. A run that starts, starts its text anew.
func (r *Recorder) Observe(e stategraph.Event) {
	if token, ok := e.Payload.(domain.Token); ok {
		r.hub.change(r.live, func(l *live) { l.text += token.Text })
		return
	}
	if !r.Keeps(e) {
		return
	}
	if begins(e) {
		r.hub.change(r.live, func(l *live) { l.text, l.round = "", l.round+1 })
	}
	if e.Recorded {
		r.hub.change(r.live, func(*live) {})
		return
	}
	stored, err := r.stored(e)
	if err != nil {
		r.fail(err)
		return
	}
	r.append(stored)
}

// Text returns the words observed since the run started.
func (r *Recorder) Text() string {
	text, _, _ := r.hub.peek(r.live)
	return text
}

// Settle writes the run's last event: its final status, and what went wrong.
func (r *Recorder) Settle(status, problem string) {
	r.append(Event{At: r.hub.now(), Kind: Settled, Label: status, Problem: problem})
}

// Close ends the attempt and reports whether an event could not be written.
func (r *Recorder) Close() error {
	r.hub.mu.Lock()
	if r.hub.recorders[r.run] == r {
		delete(r.hub.recorders, r.run)
	}
	r.hub.mu.Unlock()
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
		r.hub.log.ErrorContext(r.ctx, "trace", "run", r.run, "workspace", r.workspace, "err", err)
	}
}
