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
	slots   chan struct{} // bounds running nodes over all graphs; nil if there are no subgraphs

	mu    sync.Mutex // held while observers are called
	seq   int
	ended bool // events of nodes left behind are dropped
}

// settings hold the run options.
type settings struct {
	limit       int
	concurrency int
	observers   []func(Event)
	clock       Clock
	jitter      func() float64
	around      func(*Context, Call) (any, error) // nil: calls are made directly

	thread   string
	orResume bool
	before   []string // static stops
	after    []string
	answers  []reply
	recorded func(Event) bool
}

func newHost(nested bool, opts []RunOption) *host {
	h := &host{settings: settings{
		limit: DefaultRecursionLimit, concurrency: DefaultMaxConcurrency, clock: systemClock{}, jitter: rand.Float64,
	}}
	for _, o := range opts {
		o(&h.settings)
	}
	if nested {
		h.slots = make(chan struct{}, h.concurrency)
	}
	return h
}

// observed reports whether events are wanted. If not, none is made.
func (h *host) observed() bool { return len(h.observers) > 0 || h.recorded != nil }

// send passes an event to the observers, after writing it to the thread if it
// is recorded.
func (h *host) send(e Event) {
	if !h.observed() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number(&e) && !writtenWithNext(e.Kind) {
		_ = h.journal.write() // the next commit returns the error
	}
	h.notify(e)
}

// sendWith calls write, which writes to the thread, and sends an event about
// it. If the event is recorded, both are written in one transaction.
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
		h.notify(e)
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

func writtenWithNext(k EventKind) bool {
	return k == RunStart || k == StepStart || k == Branch || k == Saved
}

func (h *host) notify(e Event) {
	if h.ended {
		return
	}
	for _, observe := range h.observers {
		observe(e)
	}
}

// time returns the time for measuring a duration; zero when nobody observes.
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
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
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
