package chart

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Passages reads passages in the order of ids. Ids that no longer exist are
// left out.
type Passages interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Counts counts what a task asks for in the graph, in the order in which it is
// to be drawn. Other tasks yield no counts.
type Counts interface {
	Counts(ctx context.Context, w domain.WorkspaceID, task string) ([]GraphCount, error)
}

// Emit reports an event to the trace. The kinds and payloads are in domain.
type Emit func(kind string, payload any)

// Specifier writes chart specifications.
type Specifier interface {
	// Specify turns a task into a specification over the evidence. An answer
	// that can't be parsed is an *UnreadableError; it is retried like one with
	// mistakes.
	Specify(ctx context.Context, r Request, emit Emit) (Specification, error)
}

// Request is a chart to specify.
type Request struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID
	Salt      string
	Prompts   int    // pin of the prompt's text, see prompts.Book
	Question  string // that the chart helps to answer
	Task      string // what to show
	Evidence  Evidence
	Before    *Specification // the last attempt; nil on the first
	Mistakes  []string       // of the last attempt
}

// UnreadableError is an answer that is no specification.
type UnreadableError struct{ Why string }

// Error returns what is wrong with the answer.
func (e *UnreadableError) Error() string { return e.Why }
