package testkit

import (
	"sync/atomic"
	"time"
)

// A Clock is a wall clock that a test may advance or stop.
type Clock struct {
	ahead   atomic.Int64
	stopped atomic.Pointer[time.Time]
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	if at := c.stopped.Load(); at != nil {
		return *at
	}
	return time.Now().Add(time.Duration(c.ahead.Load()))
}

// Stop stops the clock, for results that must be reproducible.
func (c *Clock) Stop() {
	now := c.Now()
	c.stopped.Store(&now)
}

// Advance moves the clock forward, even if it is stopped.
func (c *Clock) Advance(d time.Duration) {
	c.ahead.Add(int64(d))
	if at := c.stopped.Load(); at != nil {
		later := at.Add(d)
		c.stopped.Store(&later)
	}
}
