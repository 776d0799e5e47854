package domain

import (
	"errors"
	"fmt"
)

// Kind says what an error means to the person or program that meets it. One
// table in the web package maps kinds to HTTP statuses; an error without a
// kind is internal and its text is not shown.
type Kind int

// The kinds of error.
const (
	Internal     Kind = iota
	Invalid           // the input is wrong; the message says what to change
	NotFound          // nothing of that id in this workspace
	Conflict          // it exists already, or somebody else is at it
	TooLarge          // over a limit; the message names limit and setting
	Unsupported       // a format or a feature that is not offered
	Unauthorized      // sign in first
	Forbidden         // signed in, but not allowed
	Unavailable       // a model or a store does not answer; trying again may help
	Exhausted         // disk, budget or quota used up
)

// Error is an error with a kind and a sentence for the person who meets it.
type Error struct {
	Kind    Kind
	Message string // a whole sentence; says what to do where something can be done
	Err     error  // the cause, for the log; may be nil
}

// Errorf makes an Error of kind k. A %w in format becomes the cause; its text
// is part of the message.
func Errorf(k Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Because wraps cause with a kind and a message that does not repeat it.
func Because(k Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...), Err: cause}
}

// Error is the message, followed by the cause where the message hides it.
func (e *Error) Error() string { return e.Message }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of the outermost Error in err's chain, Internal when it
// has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// MessageOf is the sentence to show for err, and whether it has one.
func MessageOf(err error) (string, bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message, true
	}
	return "", false
}

// InWords is what a person may be told of err: its message when it has one,
// and its text otherwise. Pages show less, see the web's respond package.
func InWords(err error) string {
	if message, ok := MessageOf(err); ok {
		return message
	}
	return err.Error()
}
