package stategraph

import (
	"cmp"
	"errors"
	"time"
)

// Retry describes how often a node is tried and how long to wait in between.
//
// The pause before the second attempt is Backoff, and it doubles up to MaxBackoff. Each pause is shortened by a random
// part of up to half, so that nodes that failed together don't retry together.
type Retry struct {
	Attempts   int                       // in total; 0 and 1 mean no retry
	Backoff    time.Duration             // 0 means no pause
	MaxBackoff time.Duration             // 0 means a minute
	On         func(error) bool          // which errors to retry; nil means all
	After      func(error) time.Duration // the minimum pause after an error, such as a server's Retry-After; nil means none
}

// again reports whether another attempt follows one that failed with err, and
// after which pause. Panics are never retried.
func (r Retry) again(attempt int, err error, jitter func() float64) (time.Duration, bool) {
	var panicked *PanicError
	if attempt >= r.Attempts || errors.As(err, &panicked) || r.On != nil && !r.On(err) {
		return 0, false
	}
	pause := r.pause(attempt)
	pause -= time.Duration(jitter() * float64(pause/2))
	if r.After != nil {
		pause = max(pause, r.After(err))
	}
	return pause, true
}

// pause returns the pause after an attempt, without jitter.
func (r Retry) pause(attempt int) time.Duration {
	limit := cmp.Or(r.MaxBackoff, time.Minute)
	pause := r.Backoff
	for i := 1; i < attempt && pause < limit; i++ {
		pause *= 2
	}
	return min(pause, limit)
}
