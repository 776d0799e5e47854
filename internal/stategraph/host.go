package stategraph

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// host is what a run shares with the runs of its subgraphs.
type host struct {
	settings
	journal *journal      // nil without a thread
	slots   chan struct{} // bounds nodes at work over all graphs; nil when there are no subgraphs

	mu   sync.Mutex // held while observers are called
	seq  int
	over bool // what a node left behind has no more to say
}

// settings are what run options set.
type settings struct {
	limit       int
	concurrency int
	observers   []func(Event)
	clock       Clock
	jitter      func() float64
	around      func(*Context, Call) (any, error) // nil: calls are made as they are

	thread     string
	orResume   bool
	force      bool
	lease      time.Duration
	durability Durability
	before     []string // static stops
	after      []string
	answers    []reply
	recorded   func(Event) bool
}

func newHost(nested bool, opts []RunOption) *host {
	h := &host{settings: settings{
		limit: DefaultRecursionLimit, concurrency: DefaultMaxConcurrency, clock: systemClock{}, jitter: rand.Float64,
		lease: DefaultLease,
	}}
	for _, o := range opts {
		o(&h.settings)
	}
	if nested {
		h.slots = make(chan struct{}, h.concurrency)
	}
	return h
}

// observed reports whether anybody wants events; when not, none is made.
func (h *host) observed() bool { return len(h.observers) > 0 || h.recorded != nil }

// send tells of an event, if anybody listens. One that is recorded is on the
// thread before.
func (h *host) send(e Event) {
	if !h.observed() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number(&e) && !leads(e.Kind) {
		_ = h.journal.writeIf(EachTask) // whoever commits next is told
	}
	h.tell(e)
}

// sendWith tells of an event with what write puts on the thread: both are
// recorded together, or neither.
func (h *host) sendWith(e Event, write func() error) error {
	if h.recorded == nil {
		err := write()
		if err == nil {
			h.send(e)
		}
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.number(&e)
	err := write()
	if err == nil {
		h.tell(e)
	}
	return err
}

// number gives an event its place and notes it when it is to be recorded.
func (h *host) number(e *Event) (recorded bool) {
	if h.over {
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

// leads reports whether more follows an event at once, to be written with it.
func leads(k EventKind) bool { return k == RunStart || k == StepStart || k == Branch || k == Saved }

// tell hands an event to the observers.
func (h *host) tell(e Event) {
	if h.over {
		return
	}
	for _, observe := range h.observers {
		observe(e)
	}
}

// time is the time, for events that tell how long something took; none when
// nobody observes.
func (h *host) time() time.Time {
	if !h.observed() {
		return time.Time{}
	}
	return h.clock.Now()
}

// since is the time that has passed since a time that is known.
func (h *host) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return h.clock.Now().Sub(t)
}

// end ends the events of the run.
func (h *host) end() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
}

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns the context's error when that comes first.
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
