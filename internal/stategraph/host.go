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
	slots chan struct{} // bounds nodes at work over all graphs; nil when there are no subgraphs

	mu  sync.Mutex // held while observers are called
	seq int
}

// settings are what run options set.
type settings struct {
	limit       int
	concurrency int
	observers   []func(Event)
	clock       Clock
	jitter      func() float64
	checked     bool
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

// observed reports whether anybody wants events; when not, none is made.
func (h *host) observed() bool { return len(h.observers) > 0 }

// send numbers an event and hands it to the observers.
func (h *host) send(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	e.Seq, e.At = h.seq, h.clock.Now()
	for _, observe := range h.observers {
		observe(e)
	}
}

// acquire waits for a slot and returns what gives it back.
func (h *host) acquire(ctx context.Context) (release func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
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
