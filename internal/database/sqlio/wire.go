package sqlio

import (
	"context"
	"time"
)

// A Wire carries short messages between the processes that share a database, so that they need not look for news all the time.
// A message may get lost: whoever waits for one also looks now and then.
type Wire interface {
	// Tell sends a message to all other processes. It returns false, without trying, if too many are waiting to be
	// sent.
	Tell(topic, text string) bool
	// Listening reports whether messages from others arrive.
	Listening() bool
	// Session identifies this process to others for as long as its connection lasts. It is "" if sessions are
	// unknown.
	Session() string
	// Ended returns those of the given sessions of other processes that are over: the process has ended or lost its
	// connection.
	Ended(ctx context.Context, sessions []string) ([]string, error)
}

// Interval is how often to look for news that a wire may tell of: at each poll, and six times as seldom while it is heard.
func Interval(w Wire, poll time.Duration) time.Duration {
	if w.Listening() {
		return 6 * poll
	}
	return poll
}

// Unwired is the Wire of a database that carries no messages.
type Unwired struct{}

// Tell implements Wire.
func (Unwired) Tell(string, string) bool { return false }

// Listening implements Wire.
func (Unwired) Listening() bool { return false }

// Session implements Wire.
func (Unwired) Session() string { return "" }

// Ended implements Wire.
func (Unwired) Ended(context.Context, []string) ([]string, error) { return nil, nil }
