package stategraph

import (
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Default limits of a run.
const (
	DefaultRecursionLimit = 25 // super-steps
	DefaultMaxConcurrency = 64 // nodes running at once
)

// RunOption configures one run.
type RunOption func(*settings)

// RecursionLimit allows n super-steps: a run that ends in its nth succeeds, one
// that needs another fails with [ErrRecursionLimit]. Values below 1 mean 1.
// Subgraphs count their own, see [WithRecursionLimit].
func RecursionLimit(n int) RunOption {
	return func(s *settings) { s.limit = max(1, n) }
}

// MaxConcurrency allows n nodes, including those of subgraphs, to run at once.
// Values below 1 mean 1.
func MaxConcurrency(n int) RunOption {
	return func(s *settings) { s.concurrency = max(1, n) }
}

// Observe calls f for every event, in order, one at a time. The run waits for f,
// which must not call back into the run. It can be given several times.
func Observe(f func(Event)) RunOption {
	return func(s *settings) { s.observers = append(s.observers, f) }
}

// Time sets the clock for the times of events and the pauses between attempts.
func Time(c Clock) RunOption {
	return func(s *settings) { s.clock = c }
}

// Jitter sets the source of randomness for the pauses between attempts. f
// returns numbers in [0, 1) and may be called concurrently.
func Jitter(f func() float64) RunOption {
	return func(s *settings) { s.jitter = f }
}

// NodeOption configures one node.
type NodeOption func(*policy)

type policy struct {
	timeout    time.Duration
	retry      Retry
	limit      int // of a subgraph
	interrupts bool
	aside      bool
	reads      []state.Field // nil: not declared
	writes     []state.Field // nil: not declared
}

// WithTimeout limits every attempt to d. Then the attempt's context is cancelled
// and an error it returns counts as a timeout, which [context.DeadlineExceeded]
// matches. A node that ignores its context holds up its super-step.
func WithTimeout(d time.Duration) NodeOption {
	return func(p *policy) { p.timeout = d }
}

// WithRetry retries the node when it fails.
func WithRetry(r Retry) NodeOption {
	return func(p *policy) { p.retry = r }
}

// WithRecursionLimit allows a subgraph n super-steps instead of
// [DefaultRecursionLimit].
func WithRecursionLimit(n int) NodeOption {
	return func(p *policy) { p.limit = n }
}
