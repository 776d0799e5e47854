package stategraph

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// host is shared by a run and the runs of its subgraphs.
type host struct {
	settings
	journal *journal      // nil without a thread
	given   *given        // answers to questions of the thread; nil if there are none
	slots   chan struct{} // bounds running nodes over all graphs; nil if there are no subgraphs

	flushing sync.Mutex // held while recorded events are written and passed on

	mu     sync.Mutex // held while observers are called, if no event is recorded
	seq    int
	ended  bool // events of nodes left behind are dropped; changed under both locks
	unsent []unsent
	due    bool // a flush is scheduled
}

// unsent is an event that the observers have not seen yet.
type unsent struct {
	event      Event
	withRecord bool // dropped if the record can't be written
}

// settings hold the run options.
type settings struct {
	limit       int
	concurrency int
	observers   []func(Event)
	clock       Clock
	jitter      func() float64
	around      func(*Context, Call) (any, error) // nil if calls are made directly

	thread   string
	orResume bool
	before   []string // static stops
	after    []string
	answers  []reply
	recorded func(Event) bool
	gathered bool          // updates are written while the run goes on
	moment   time.Duration // how long a recorded event may wait for others, to share a write
}

func newHost(nested bool, opts []RunOption) *host {
	h := &host{settings: settings{
		limit: DefaultRecursionLimit, concurrency: DefaultMaxConcurrency, clock: systemClock{}, jitter: rand.Float64, moment: gather,
	}}
	for _, o := range opts {
		o(&h.settings)
	}
	h.gathered = h.gathered && h.recorded != nil
	if nested {
		h.slots = make(chan struct{}, h.concurrency)
	}
	return h
}

// observed reports whether events are wanted. If not, none is made.
func (h *host) observed() bool { return len(h.observers) > 0 || h.recorded != nil }

// gather is the moment of a run that is not gathered.
const gather = 5 * time.Millisecond

// send passes an event to the observers. If the run records events, it is
// written to the thread first, with those of the next moment, and send does not
// wait: the next commit returns the error. What is not recorded keeps its place
// among the others; words hurry them.
func (h *host) send(e Event) {
	if !h.observed() {
		return
	}
	h.mu.Lock()
	recorded := h.number(&e)
	if h.recorded == nil {
		defer h.mu.Unlock()
		h.notify(e)
		return
	}
	h.unsent = append(h.unsent, unsent{event: e})
	hurries := e.Kind == Custom && !recorded
	if !hurries {
		h.flushSoon()
	}
	h.mu.Unlock()
	if hurries {
		_ = h.flush()
	}
}

// sendWith writes rec and everything noted before to the thread, if there is
// one, and sends an event about it. If the event is recorded, both are written
// in one transaction. With others to come, that is within the next moment, or by
// the flush that must follow, which returns the error.
func (h *host) sendWith(e Event, rec *Record, others bool) error {
	h.mu.Lock()
	if h.recorded != nil {
		h.number(&e)
		h.unsent = append(h.unsent, unsent{e, true})
	}
	if rec != nil {
		h.journal.note(*rec)
	}
	if h.recorded != nil && others {
		h.flushSoon()
		h.mu.Unlock()
		return nil
	}
	h.mu.Unlock()
	if h.recorded != nil {
		return h.flush()
	}
	if h.journal != nil {
		if err := h.journal.write(); err != nil {
			return err
		}
	}
	h.send(e)
	return nil
}

// flushSoon schedules a flush of the waiting records. h.mu must be held.
func (h *host) flushSoon() {
	if !h.due {
		h.due = true
		time.AfterFunc(h.moment, func() { _ = h.flush() })
	}
}

// flush writes what is noted and then passes on the events that wait for it. Of
// several at the same time the first does the work of all others.
func (h *host) flush() error {
	h.flushing.Lock()
	defer h.flushing.Unlock()
	h.mu.Lock()
	events := h.unsent
	h.unsent, h.due = nil, false
	h.mu.Unlock()
	err := h.journal.write()
	for _, u := range events {
		if err == nil || !u.withRecord {
			h.notify(u.event)
		}
	}
	return err
}

// number sets an event's sequence number and time, and notes it in the journal
// if it is to be recorded.
func (h *host) number(e *Event) (recorded bool) {
	if h.ended {
		return false
	}
	h.seq++
	e.Seq, e.At = h.seq, h.clock.Now()
	if h.recorded == nil || !h.recorded(*e) {
		return false
	}
	e.Recorded = true
	noted := *e
	h.journal.note(Record{Kind: RecordEvent, Event: &noted})
	return true
}

func (h *host) notify(e Event) {
	if h.ended {
		return
	}
	for _, observe := range h.observers {
		observe(e)
	}
}

// time returns the time for measuring a duration, or zero if nobody observes.
func (h *host) time() time.Time {
	if !h.observed() {
		return time.Time{}
	}
	return h.clock.Now()
}

func (h *host) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return h.clock.Now().Sub(t)
}

func (h *host) end() {
	h.flushing.Lock()
	defer h.flushing.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
}

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep waits for d. It returns the context's error if that comes first.
	Sleep(ctx context.Context, d time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
