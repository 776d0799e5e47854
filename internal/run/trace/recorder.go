package trace

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Recorder records the events of one attempt at a run, as the engine's observer: one goroutine at a time uses it, while
// others may write rows of later events.
//
// The events of a run on a thread are stored together with the state they report: [Recorder.Keeps] selects them, and the
// thread's store gets their rows from [Hub.Batch]. The recorder stores all others.
type Recorder struct {
	hub       *Hub
	live      *live
	ctx       context.Context // outlives a stop, in order to record it
	workspace domain.WorkspaceID
	run       domain.RunID
	name      string // name of this attempt, for other processes
	seq       int
	resuming  bool
	failed    error
	told      told // guarded by the hub's lock

	mu       sync.Mutex
	pending  map[int]pending // by the engine's number
	finished bool            // the end of a node was written
	tab      *ledger.Tab     // of calls that are written with events; nil if they are not
}

// pending is an event that is being written.
type pending struct {
	Event
	calls int // of the tab, written with it
}

// TakeAlong has the calls of a tab written with events.
func (r *Recorder) TakeAlong(tab *ledger.Tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tab = tab
}

// wait queues an event until it is written.
func (r *Recorder) wait(number int, e Event, calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[number] = pending{e, calls}
}

// written returns an event that was kept.
func (r *Recorder) written(number int) Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.pending[number]
	delete(r.pending, number)
	r.finished = r.finished || e.Kind == string(stategraph.NodeEnd)
	if e.calls > 0 {
		r.tab.Wrote(e.calls)
	}
	return e.Event
}

// first reports whether events hold the first end of a node that is written in this
// attempt.
func (r *Recorder) first(events []stategraph.Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.finished && slices.ContainsFunc(events, func(e stategraph.Event) bool { return e.Kind == stategraph.NodeEnd })
}

// Record returns a recorder that continues the log of a run after its last event. It keeps working after ctx is cancelled. Close it
// after the attempt.
func (h *Hub) Record(ctx context.Context, w domain.WorkspaceID, run domain.RunID, last int) *Recorder {
	ctx = context.WithoutCancel(ctx)
	r := &Recorder{hub: h, live: h.join(run), ctx: ctx, workspace: w, run: run, name: rand.Text(), pending: map[int]pending{}, resuming: last > 0}
	r.seq = max(last, r.live.shared.last()) // watchers look for events after the last one they have seen
	h.mu.Lock()
	if n := len(r.live.kept); n > 0 && r.live.kept[n-1].Seq != last { // another process has stored some, or they are gone
		r.live.kept = nil
	}
	h.recorders[run] = r
	h.mu.Unlock()
	return r
}

// Batch holds events of one run, to be written together.
type Batch struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID
	Rows      []ledger.EventRow // without numbers
	Calls     ledger.Calls      // of models, to be written with them
	First     bool              // they contain the first end of a node in an attempt
}

// Batch returns the rows of events of the run on a thread, which is named like the run. The store numbers them.
func (h *Hub) Batch(thread string, events []stategraph.Event) (Batch, error) {
	h.mu.Lock()
	r := h.recorders[domain.RunID(thread)]
	h.mu.Unlock()
	if r == nil {
		return Batch{}, fmt.Errorf("no recorder for run %s", thread)
	}
	b := Batch{Workspace: r.workspace, Run: r.run, Rows: make([]ledger.EventRow, len(events)), First: r.first(events)}
	if r.tab != nil && len(events) > 0 {
		b.Calls = r.tab.Take(events[0].Seq)
	}
	for i, e := range events {
		stored, err := r.stored(e)
		if err != nil {
			return b, err
		}
		r.wait(e.Seq, stored, b.Calls.N)
		text, err := json.Marshal(stored)
		if err != nil {
			return b, fmt.Errorf("encode a %s event of run %s: %w", e.Kind, r.run, err)
		}
		b.Rows[i] = ledger.EventRow{At: e.At, JSON: text}
	}
	return b, nil
}

// Keeps reports whether an event belongs in the log. Words are transient, and the starts and saves of steps follow from
// the events of their nodes.
func (r *Recorder) Keeps(e stategraph.Event) bool {
	_, token := e.Payload.(domain.Token)
	return !token && e.Kind != stategraph.StepStart && e.Kind != stategraph.Saved
}

// stored returns the form of an event in the log.
func (r *Recorder) stored(e stategraph.Event) (Event, error) {
	out, err := fromEngine(e)
	if err != nil {
		return out, fmt.Errorf("encode the payload of a %s event: %w", e.Custom, err)
	}
	out.Resuming = begins(e) && r.resuming
	return out, nil
}

// begins reports whether an event starts the run itself, not a subgraph.
func begins(e stategraph.Event) bool { return e.Kind == stategraph.RunStart && len(e.Path) <= 1 }

// Observe records one engine event. Words go straight to the watchers, other events to the log first. The start of the run
// restarts its text.
func (r *Recorder) Observe(e stategraph.Event) {
	if token, ok := e.Payload.(domain.Token); ok {
		r.hub.change(r.live, func(l *live) {
			if token.Anew {
				l.restart()
			}
			l.say(token)
			r.hub.tellSoon(r)
		})
		return
	}
	if !r.Keeps(e) {
		return
	}
	if begins(e) {
		r.hub.change(r.live, (*live).restart)
	}
	if e.Recorded {
		stored := r.written(e.Seq)
		r.seq++
		stored.Seq = r.seq
		r.tell(stored)
		return
	}
	stored, err := r.stored(e)
	if err != nil {
		r.fail(err)
		return
	}
	r.append(stored)
}

// Events returns the run's stored events, those of earlier attempts included.
func (r *Recorder) Events(ctx context.Context) ([]Event, error) {
	r.hub.mu.Lock()
	events, whole := r.live.after(0)
	r.hub.mu.Unlock()
	if whole {
		return events, nil
	}
	return r.hub.all(ctx, r.workspace, r.run, 0)
}

// Text returns the words observed since the run started.
func (r *Recorder) Text() string {
	so, _ := r.hub.peek(r.live)
	return so.text
}

// Settle records the run's last event: its final status, and what went wrong. It
// calls each of also in the transaction that stores the event.
func (r *Recorder) Settle(status, problem string, also ...func(context.Context, *sql.Tx) error) {
	r.hub.mu.Lock()
	r.hub.tellWords(r)
	r.hub.mu.Unlock()
	r.append(Event{At: r.hub.now(), Kind: Settled, Label: status, Problem: problem}, also...)
}

// Close ends the attempt and returns the first error of writing an event.
func (r *Recorder) Close() error {
	r.hub.mu.Lock()
	if r.hub.recorders[r.run] == r {
		delete(r.hub.recorders, r.run)
	}
	r.hub.mu.Unlock()
	r.hub.leave(r.run)
	return r.failed
}

func (r *Recorder) append(e Event, also ...func(context.Context, *sql.Tx) error) {
	e.Seq = r.seq + 1
	row, err := json.Marshal(e)
	if err == nil {
		err = r.hub.store.AppendEvents(r.ctx, r.workspace, r.run, []ledger.EventRow{{Seq: e.Seq, At: e.At, JSON: row}}, also...)
	}
	if err != nil {
		r.fail(fmt.Errorf("store event %d of run %s: %w", e.Seq, r.run, err))
		return
	}
	r.seq++
	r.tell(e)
}

// tell wakes those who watch the run, here and elsewhere, after an event was stored.
func (r *Recorder) tell(e Event) {
	r.hub.tell(r.live, e)
	r.hub.tellEvent(r.run)
}

// fail keeps the first error for Close and logs it. A run without a complete trace is better than a failed one.
func (r *Recorder) fail(err error) {
	if r.failed == nil {
		r.failed = err
		r.hub.log.ErrorContext(r.ctx, "record an event", "run", r.run, "workspace", r.workspace, "err", err)
	}
}
