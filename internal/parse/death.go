package parse

import "github.com/clewhq/clew/internal/domain"

// A DeathError says that the process that read a file ended, or had to be ended,
// over it. The file may be to blame, or the machine: trying once more tells.
type DeathError struct{ Err *domain.Error }

// Error returns the sentence for the file's owner.
func (e *DeathError) Error() string { return e.Err.Error() }

// Unwrap returns the domain error.
func (e *DeathError) Unwrap() error { return e.Err }
