package domain

import "time"

// Clock returns the current time: time.Now, or a test's time.
type Clock func() time.Time
