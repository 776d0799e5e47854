package stategraph

import (
	"errors"
	"time"
)

// Retry says how often a node is tried and how long to wait in between.
//
// The pause before the second attempt is Backoff and doubles from there up to
// MaxBackoff; of each, between half and the whole is waited, so that many that
// failed together don't come back together.
type Retry struct {
	Attempts   int              // in all; 0 and 1 mean no retry
	Backoff    time.Duration    // 0 means no pause
	MaxBackoff time.Duration    // 0 means a minute
	On         func(error) bool // which errors; nil means all

	// After returns the shortest pause before an error's work is tried again,
	// for instance what a server asked for. nil means none.
	After func(error) time.Duration
}

// again says whether an attempt that failed with err is followed by another,
// and after which pause. A panic is final.
func (r Retry) again(attempt int, err error, jitter func() float64) (time.Duration, bool) {
	var panicked *PanicError
	if attempt >= r.Attempts || errors.As(err, &panicked) {
		return 0, false
	}
	if r.On != nil && !r.On(err) {
		return 0, false
	}
	pause := r.pause(attempt)
	pause -= time.Duration(jitter() * float64(pause/2))
	if r.After != nil {
		pause = max(pause, r.After(err))
	}
	return pause, true
}

// pause is the whole pause after an attempt.
func (r Retry) pause(attempt int) time.Duration {
	limit := r.MaxBackoff
	if limit == 0 {
		limit = time.Minute
	}
	pause := r.Backoff
	for i := 1; i < attempt && pause < limit; i++ {
		pause *= 2
	}
	return min(pause, limit)
}
