package testkit

import (
	"sync/atomic"
	"time"
)

// Clock is the time of day, which a test may put forward.
type Clock struct{ ahead atomic.Int64 }

// Now is the time by this clock.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Pass puts the clock forward.
func (c *Clock) Pass(d time.Duration) { c.ahead.Add(int64(d)) }
