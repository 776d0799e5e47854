package chart

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Passages reads passages, in the order asked; ids that are gone are left out.
type Passages interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Counts finds the counts of the graph that a task asks for.
type Counts interface {
	// Counts are what a task asks for, in the order in which it is to be
	// drawn; none when the task asks for something else.
	Counts(ctx context.Context, w domain.WorkspaceID, task string) ([]Counted, error)
}

// Emit tells the trace what a role does, see the kinds of event in domain.
type Emit func(kind string, payload any)

// Specifier writes chart specifications.
type Specifier interface {
	// Specify turns a task into a specification over the evidence. An answer
	// that can't be read is an *UnreadableError; it is asked for again like one
	// with mistakes.
	Specify(ctx context.Context, r Request, emit Emit) (Specification, error)
}

// Request is a chart to specify.
type Request struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID
	Salt      string
	Question  string // that the chart helps to answer
	Task      string // what it is to show
	Evidence  Evidence
	Before    *Specification // the last attempt, nil for the first
	Mistakes  []string       // of the last attempt
}

// UnreadableError is an answer that is no specification.
type UnreadableError struct{ Why string }

// Error says what is wrong with the answer.
func (e *UnreadableError) Error() string { return e.Why }
