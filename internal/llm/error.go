package llm

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Fault classifies the failure of a call.
type Fault string

// The faults.
const (
	Unreachable  Fault = "unreachable"   // no connection, or a broken one
	Refused      Fault = "refused"       // 401, 403: key or permission
	RateLimited  Fault = "rate limited"  // 429
	ServerFailed Fault = "server failed" // 5xx
	Misdirected  Fault = "misdirected"   // 404, a redirect, a web page: no such model, or no model at this address
	BadRequest   Fault = "bad request"   // another 4xx: context length, unsupported field
	BadAnswer    Fault = "bad answer"    // not JSON, not a completion, broken stream
	TimedOut     Fault = "timed out"
	Cancelled    Fault = "cancelled"    // by the caller
	NotRecorded  Fault = "not recorded" // see OnlyRecorded
)

// Error is a failed call. Its message is shown to everybody who waits for the answer,
// and names no address: see Located.
type Error struct {
	Fault   Fault
	Message string        // a sentence: the server's answer, and what to check
	Status  int           // HTTP status; 0 if there was none
	After   time.Duration // how long the server asked us to wait; 0 if it didn't
	Err     error
}

// Located is the cause of an Error whose server has an address: the same sentence with
// the address, for the log and for whoever connects models.
type Located struct {
	Sentence string
	Err      error // may be nil
}

// Error returns the sentence.
func (e *Located) Error() string { return e.Sentence }

// Unwrap returns the cause.
func (e *Located) Unwrap() error { return e.Err }

// InWords returns the sentence of err that names the server's address, or its message if
// it has none. It is for pages and commands of those who connect models.
func InWords(err error) string {
	if e, ok := errors.AsType[*Located](err); ok {
		return e.Sentence
	}
	return domain.InWords(err)
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// As converts the error to a *domain.Error, which carries its message to the
// person who waits for the answer and informs domain.Temporary, domain.Away and
// domain.RetryAfter.
func (e *Error) As(target any) bool {
	d, ok := target.(**domain.Error)
	if ok {
		*d = &domain.Error{Kind: e.kind(), Message: e.Message, Err: e, Retry: domain.Retry{After: e.After, Reachable: e.reachable()}}
	}
	return ok
}

// kind is Unavailable when the same call may succeed later, and Forbidden when
// the settings have to be changed first.
func (e *Error) kind() domain.Kind {
	switch e.Fault {
	case Unreachable, RateLimited, ServerFailed, TimedOut:
		return domain.Unavailable
	case Refused, Misdirected:
		return domain.Forbidden
	}
	return domain.Invalid
}

// reachable reports whether the model may answer another request now: a timeout
// and a failure inside the server may be due to the text that was sent.
func (e *Error) reachable() bool {
	switch e.Fault {
	case Unreachable, RateLimited:
		return false
	case ServerFailed:
		return e.Status == http.StatusInternalServerError
	}
	return true
}

// Stopped converts a context's error.
func Stopped(err error) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Fault: TimedOut, Message: "There was no time left to wait for the model.", Err: err}
	}
	return &Error{Fault: Cancelled, Message: "The call to the model was cancelled.", Err: err}
}
