package llm

import (
	"context"
	"errors"
)

// Stopped makes an *Error of a context's error: the caller gave up, or its
// time ran out.
func Stopped(err error) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Fault: TimedOut, Message: "There was no time left to wait for the model.", Err: err}
	}
	return &Error{Fault: Cancelled, Message: "The call to the model was cancelled.", Err: err}
}
