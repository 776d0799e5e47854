// Package stream iterates over the events of a state graph's run.
package stream

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/stategraph"
)

// Lag is how many events a reader may fall behind before it misses custom ones.
const Lag = 1024

// Event is an event of a run.
type Event struct {
	stategraph.Event
	Skipped int // custom events the reader missed just before this one
}

// Run is [stategraph.Graph.Run] as an iterator. Ranging over events, which can be
// done once, runs the graph; leaving the loop early cancels it. Result returns
// what Run would have, and runs the graph if events was not ranged over.
//
// A slow reader does not hold up the run. More than [Lag] events behind, it
// misses custom events, and the next event says how many.
func Run[S any](ctx context.Context, g *stategraph.Graph[S], s S, opts ...stategraph.RunOption) (events iter.Seq[Event], result func() (S, error)) {
	return read(ctx, func(ctx context.Context, put stategraph.RunOption) (S, error) {
		return g.Run(ctx, s, append(slices.Clip(opts), put)...)
	})
}

// Resume is [stategraph.Graph.Resume] as an iterator, see Run.
func Resume[S any](ctx context.Context, g *stategraph.Graph[S], thread string, opts ...stategraph.RunOption) (events iter.Seq[Event], result func() (S, error)) {
	return read(ctx, func(ctx context.Context, put stategraph.RunOption) (S, error) {
		return g.Resume(ctx, thread, append(slices.Clip(opts), put)...)
	})
}

func read[S any](ctx context.Context, run func(context.Context, stategraph.RunOption) (S, error)) (events iter.Seq[Event], result func() (S, error)) {
	var once sync.Once
	var last S
	var err error
	done := make(chan struct{})
	begin := func(yield func(Event) bool) {
		ctx, cancel := context.WithCancel(ctx)
		q := &queue{ready: make(chan struct{}, 1)}
		go func() {
			defer close(done)
			defer q.close()
			last, err = run(ctx, stategraph.Observe(q.put))
		}()
		defer func() { cancel(); <-done }()
		for e, more := q.take(); more && yield(e); {
			e, more = q.take()
		}
	}
	events = func(yield func(Event) bool) { once.Do(func() { begin(yield) }) }
	result = func() (S, error) {
		for range events {
		}
		<-done
		return last, err
	}
	return events, result
}

// queue holds the events not read yet.
type queue struct {
	ready chan struct{} // signals that there may be something to take

	mu      sync.Mutex
	events  []Event
	skipped int
	closed  bool
}

func (q *queue) put(e stategraph.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.Kind == stategraph.Custom && len(q.events) >= Lag {
		q.skipped++
		return
	}
	q.events = append(q.events, Event{e, q.skipped})
	q.skipped = 0
	q.wake()
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take waits for the next event. It returns false when there are no more.
func (q *queue) take() (Event, bool) {
	for {
		q.mu.Lock()
		if len(q.events) > 0 {
			e := q.events[0]
			q.events[0] = Event{} // frees its payload
			q.events = q.events[1:]
			q.mu.Unlock()
			return e, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return Event{}, false
		}
		<-q.ready
	}
}
