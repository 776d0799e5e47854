package domain

import "time"

// Clock returns the time: time.Now, or what a test says.
type Clock func() time.Time
