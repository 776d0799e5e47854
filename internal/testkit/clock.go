package testkit

import (
	"sync/atomic"
	"time"
)

// Clock is the time of day, which a test may put forward.
type Clock struct {
	ahead   atomic.Int64
	stopped atomic.Pointer[time.Time]
}

// Now is the time by this clock.
func (c *Clock) Now() time.Time {
	if at := c.stopped.Load(); at != nil {
		return *at
	}
	return time.Now().Add(time.Duration(c.ahead.Load()))
}

// Stop has the clock stand still, for what must come out the same twice.
func (c *Clock) Stop() {
	now := c.Now()
	c.stopped.Store(&now)
}

// Pass puts the clock forward.
func (c *Clock) Pass(d time.Duration) { c.ahead.Add(int64(d)) }
