package summarize

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Texts gives the stored text of a document.
type Texts interface {
	Text(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, error)
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
}

// Counter measures text in tokens.
type Counter interface {
	Count(text string) int
}

// Emit tells the trace what a role does, see the kinds of event in domain.
type Emit func(kind string, payload any)

// Asked is what is wanted of a summary.
type Asked struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Focus     string             `json:"focus,omitempty"`
	Length    Length             `json:"length"`
}

// Summariser condenses.
type Summariser interface {
	// Map summarises one part. What it says of the part depends on the part's
	// text and on what is asked alone, not on what stands around it.
	Map(ctx context.Context, r MapRequest, emit Emit) ([]Line, error)

	// Reduce makes one account of several summaries. Each line names the parts
	// that those lines name which it was drawn from. What is written goes to
	// r.Write, if set, as it comes.
	Reduce(ctx context.Context, r ReduceRequest, emit Emit) ([]Line, error)
}

// MapRequest is a part to summarise.
type MapRequest struct {
	Asked
	Part Part
	Text string // of the part
}

// ReduceRequest are summaries to make one account of.
type ReduceRequest struct {
	Asked
	Summaries []Summary
	Final     bool              // the account is the one that people read
	Write     func(text string) // may be nil
}
