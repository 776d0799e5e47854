package stategraph

import (
	"context"
	"iter"
	"slices"
	"sync"
)

// streamBuffer is how many events a reader of a stream may lag behind before
// it misses custom ones.
const streamBuffer = 1024

// Stream is Run for readers: ranging over events, which can be done once, runs
// the graph, and result gives what Run would have returned. Leaving the loop
// early cancels the run. Called without a loop before it, result runs the
// graph.
//
// A slow reader does not hold up the run and misses no event but, when it lags
// more than 1,024 behind, [Custom] ones; the next event says how many.
func (g *Graph[S]) Stream(ctx context.Context, s S, opts ...RunOption) (events iter.Seq[Event], result func() (S, error)) {
	return stream(ctx, func(ctx context.Context, put RunOption) (S, error) {
		return g.Run(ctx, s, append(slices.Clip(opts), put)...)
	})
}

// StreamResume is [Graph.Resume] for readers, as Stream is Run for readers.
func (g *Graph[S]) StreamResume(ctx context.Context, thread string, opts ...RunOption) (events iter.Seq[Event], result func() (S, error)) {
	return stream(ctx, func(ctx context.Context, put RunOption) (S, error) {
		return g.Resume(ctx, thread, append(slices.Clip(opts), put)...)
	})
}

func stream[S any](ctx context.Context, run func(context.Context, RunOption) (S, error)) (events iter.Seq[Event], result func() (S, error)) {
	var once sync.Once
	var last S
	var err error
	done := make(chan struct{})
	read := func(yield func(Event) bool) {
		ctx, cancel := context.WithCancel(ctx)
		q := &queue{ready: make(chan struct{}, 1)}
		go func() {
			defer close(done)
			defer q.close()
			last, err = run(ctx, Observe(q.put))
		}()
		defer func() { cancel(); <-done }()
		for e, more := q.take(); more && yield(e); {
			e, more = q.take()
		}
	}
	events = func(yield func(Event) bool) { once.Do(func() { read(yield) }) }
	result = func() (S, error) {
		for range events {
		}
		<-done
		return last, err
	}
	return events, result
}

// queue holds the events that a reader has yet to see.
type queue struct {
	ready chan struct{} // holds a token when there may be something to take

	mu      sync.Mutex
	events  []Event
	skipped int
	closed  bool
}

func (q *queue) put(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.Kind == Custom && len(q.events) >= streamBuffer {
		q.skipped++
		return
	}
	e.Skipped, q.skipped = q.skipped, 0
	q.events = append(q.events, e)
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

// take waits for the next event; false means that there is none left.
func (q *queue) take() (Event, bool) {
	for {
		q.mu.Lock()
		if len(q.events) > 0 {
			e := q.events[0]
			q.events[0] = Event{} // let go of its payload
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
