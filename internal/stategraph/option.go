package stategraph

import (
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// The limits of a run that sets none.
const (
	DefaultRecursionLimit = 25 // super-steps
	DefaultMaxConcurrency = 64 // nodes at work
)

// RunOption changes how one run is done.
type RunOption func(*settings)

// RecursionLimit allows n super-steps: a run that ends in its nth succeeds,
// one that would need another fails with [ErrRecursionLimit]. Values below 1
// mean 1. A subgraph counts its own, see [WithRecursionLimit].
func RecursionLimit(n int) RunOption {
	return func(s *settings) { s.limit = max(1, n) }
}

// MaxConcurrency allows n nodes, subgraphs' included, to be at work at the
// same time. Values below 1 mean 1.
func MaxConcurrency(n int) RunOption {
	return func(s *settings) { s.concurrency = max(1, n) }
}

// Observe has f called for every event, in order, one call at a time. The run
// waits for f; f must not call back into the run. It may be given several
// times.
func Observe(f func(Event)) RunOption {
	return func(s *settings) { s.observers = append(s.observers, f) }
}

// Time takes the times of events and the pauses between attempts from c.
func Time(c Clock) RunOption {
	return func(s *settings) { s.clock = c }
}

// Jitter takes the randomness of the pauses between attempts from f, which
// returns numbers from 0 up to 1 and may be called concurrently.
func Jitter(f func() float64) RunOption {
	return func(s *settings) { s.jitter = f }
}

// NodeOption changes how one node is run.
type NodeOption func(*policy)

// policy is what node options set.
type policy struct {
	timeout    time.Duration
	retry      Retry
	limit      int // of a subgraph
	interrupts bool
	reads      []state.Field // nil: not declared
	writes     []state.Field // nil: not declared
}

// WithTimeout gives every attempt d: then its context is cancelled and what
// it returns in error counts as a timeout, which [context.DeadlineExceeded]
// matches. A node that pays no heed to its context holds up its super-step.
func WithTimeout(d time.Duration) NodeOption {
	return func(p *policy) { p.timeout = d }
}

// WithRetry has the node tried again when it fails.
func WithRetry(r Retry) NodeOption {
	return func(p *policy) { p.retry = r }
}

// WithRecursionLimit allows a subgraph n super-steps, instead of
// [DefaultRecursionLimit].
func WithRecursionLimit(n int) NodeOption {
	return func(p *policy) { p.limit = n }
}
