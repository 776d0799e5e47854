package documents

import (
	"sync"
	"time"
)

// order gives documents that are added within a moment different times, so that a list has
// them as they came and not by their ids.
type order struct {
	mu   sync.Mutex
	last time.Time
}

// next returns the time of a document that is added now. A clock that was set back is followed.
func (o *order) next(now time.Time) time.Time {
	const tick = time.Millisecond // what the ledger keeps
	o.mu.Lock()
	defer o.mu.Unlock()
	if ahead := o.last.Sub(now); ahead > -tick && ahead < time.Minute {
		now = o.last.Add(tick)
	}
	o.last = now
	return now
}
