package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// tally is how long each request of one kind took.
type tally struct {
	took    []time.Duration
	refused int // told to come back later
	seconds float64
}

func (t tally) String() string {
	slices.Sort(t.took)
	return fmt.Sprintf("%d done, %.1f a second, %d told to come back; p50 %s, p95 %s, p99 %s",
		len(t.took), float64(len(t.took))/t.seconds, t.refused, t.percentile(50), t.percentile(95), t.percentile(99))
}

// percentile returns the time within which p of 100 requests were done, of
// sorted times.
func (t tally) percentile(p int) time.Duration {
	return domain.Percentile(t.took, p).Round(time.Millisecond)
}
