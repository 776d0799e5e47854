package domain

import (
	"context"
	"errors"
	"sync"
	"time"
)

// An Outage remembers that a server does not answer, so that only the first who needs it waits for it in vain. Until the server
// answers again, others get the same error at once. One of them, after each Pause, has it looked for in the background.
type Outage struct {
	Pause  time.Duration // between two looks
	Server Looker
	Says   string // the sentence of an error if a look timed out, because that error has no message
	Now    Clock

	mu      sync.Mutex
	err     error // nil while it answers
	since   time.Time
	next    time.Time // the next look
	looking sync.WaitGroup
	cancel  context.CancelFunc // of a look
}

// A Looker looks for a server.
type Looker interface {
	// Look fails while the server does not answer.
	Look(ctx context.Context) error
}

// lookTimeout limits a look.
const lookTimeout = 10 * time.Second

// Standing returns the error of an outage that lasts, or nil.
func (o *Outage) Standing() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil && !o.Now().Before(o.next) {
		o.look()
	}
	return o.err
}

// Suspect looks for the server in the background, after somebody stopped waiting for it.
func (o *Outage) Suspect() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.look()
	}
}

// look begins a look unless one is in progress. The caller holds the lock.
func (o *Outage) look() {
	if o.cancel != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	o.cancel = cancel
	o.looking.Go(func() {
		err := o.Server.Look(ctx)
		if err != nil && ctx.Err() != nil && KindOf(err) == Internal {
			err = &Error{Kind: Unavailable, Message: o.Says, Err: err}
		}
		o.found(err)
	})
}

// found takes what a look has found.
func (o *Outage) found(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cancel()
	o.cancel = nil
	if err == nil {
		o.err = nil
		return
	}
	o.begin(err)
}

// Begin notes that the server does not answer, and returns the error with the time since when.
func (o *Outage) Begin(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begin(err)
	return o.err
}

func (o *Outage) begin(err error) {
	now := o.Now()
	if o.err == nil {
		o.since = now
	}
	o.err, o.next = &away{err, o.since}, now.Add(o.Pause)
}

// End ends a look that is in progress.
func (o *Outage) End() {
	o.mu.Lock()
	if o.cancel != nil {
		o.cancel()
	}
	o.mu.Unlock()
	o.looking.Wait()
}

// away is the error of an outage.
type away struct {
	error
	since time.Time
}

// Unwrap returns why the server is taken to be away.
func (a *away) Unwrap() error { return a.error }

// AwaySince returns the time since which the server named by an error has been away, if known.
func AwaySince(err error) (time.Time, bool) {
	a, ok := errors.AsType[*away](err)
	if !ok {
		return time.Time{}, false
	}
	return a.since, true
}
