package domain

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Kind describes what an error means to the person or program that meets it. One table in the web package maps kinds to
// HTTP statuses; the text of an error without a kind is internal and not shown.
type Kind int

// The kinds of error.
const (
	Internal     Kind = iota
	Invalid           // the input is wrong; the message says what to change
	NotFound          // nothing of that id in this workspace
	Conflict          // it already exists, or somebody else is working on it
	TooLarge          // over a limit; the message names limit and setting
	Unsupported       // a format or a feature that is not offered
	Unauthorized      // sign in first
	Forbidden         // signed in, but not allowed
	Unavailable       // a model or a store does not answer; trying again may help
	Exhausted         // the disk is full; retrying helps once there is room
	Capped            // a spending cap is reached; it continues when the cap is raised, or see RetryAfter
	TooMany           // the queue is full, or requests come too often; see RetryAfter
)

var kindNames = [...]string{"internal", "invalid", "not found", "conflict", "too large", "unsupported", "unauthorized", "forbidden", "unavailable", "exhausted", "capped", "too many"}

// String returns the kind's name as logs show it.
func (k Kind) String() string { return kindNames[k] }

// KindNamed returns the kind whose String is name, or Internal.
func KindNamed(name string) Kind { return Kind(max(0, slices.Index(kindNames[:], name))) }

// Error is an error with a kind and a sentence for the person who meets it.
type Error struct {
	Kind    Kind
	Message string // a whole sentence; says what to do if anything can be done
	Err     error  // the cause, for the log; nil if the message is complete
	Retry   Retry  // only for an Unavailable or a TooMany error
}

// Retry is when to try again, if that is known.
type Retry struct {
	After     time.Duration // the pause that the server requested; 0 if none
	Reachable bool          // the server answers: another request may succeed although this one failed
}

// Errorf makes an Error of kind k. A %w in format becomes the cause; its text
// is part of the message.
func Errorf(k Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	cause := errors.Unwrap(err)
	return &Error{Kind: k, Message: err.Error(), Err: cause, Retry: retryOf(cause)}
}

// Because wraps cause with a kind and a message that does not repeat it.
func Because(k Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...), Err: cause, Retry: retryOf(cause)}
}

// Error returns the message alone. LogValue adds the cause.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the outermost Error in err's chain, Internal when
// there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// TooManyf returns a TooMany error with a suggested pause before retrying.
func TooManyf(after time.Duration, format string, args ...any) *Error {
	return &Error{Kind: TooMany, Message: fmt.Sprintf(format, args...), Retry: Retry{After: after, Reachable: true}}
}

// Cappedf returns a Capped error for work that may resume automatically after a pause.
func Cappedf(after time.Duration, format string, args ...any) *Error {
	return &Error{Kind: Capped, Message: fmt.Sprintf(format, args...), Retry: Retry{After: after}}
}

// Temporary reports whether the same work may succeed later without intervention.
func Temporary(err error) bool {
	kind := KindOf(err)
	return kind == Unavailable || kind == Exhausted
}

// Away reports whether a model or a store that the work needs can't be
// reached, or has no room, so that other work that needs it would fail too.
func Away(err error) bool { return Temporary(err) && !retryOf(err).Reachable }

// RetryAfter returns how long to wait before the next try, or 0 if nobody asked for a pause.
func RetryAfter(err error) time.Duration { return retryOf(err).After }

func retryOf(err error) Retry {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Retry
	}
	return Retry{}
}

// MessageOf returns the sentence to show for err, and whether it has one.
func MessageOf(err error) (string, bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message, true
	}
	return "", false
}

// InWords returns err's message, or its whole text when it has none. Pages
// show less: see the web's respond package.
func InWords(err error) string {
	if message, ok := MessageOf(err); ok {
		return message
	}
	return err.Error()
}
