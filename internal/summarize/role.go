package summarize

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Texts reads stored documents.
type Texts interface {
	Text(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, error)
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
}

// Counter counts the tokens of a text.
type Counter interface {
	Count(text string) int
}

// Emit reports an event to the trace. The kinds and payloads are in domain.
type Emit func(kind string, payload any)

// Options describe the wanted summary.
type Options struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book
	Focus     string             `json:"focus,omitempty"`
	Length    Length             `json:"length"`
}

// Summariser condenses texts.
type Summariser interface {
	// Map summarises one part. The result depends only on the part's text and
	// the options, not on the other parts.
	Map(ctx context.Context, r MapRequest, emit Emit) ([]Sentence, error)

	// Reduce makes one account of several summaries. Each sentence has the
	// parts of the sentences that it was drawn from. The text is streamed to
	// r.Write if set.
	Reduce(ctx context.Context, r ReduceRequest, emit Emit) ([]Sentence, error)
}

// MapRequest is a part to summarise.
type MapRequest struct {
	Options
	Part Part
	Text string                // of the part
	Warn func(sentence string) // optional; says why the account is not whole
}

// ReduceRequest holds summaries to reduce to one.
type ReduceRequest struct {
	Options
	Summaries []Summary
	Final     bool                  // the last account, which people read
	Write     func(text string)     // optional; called with pieces of text
	Anew      func()                // what Write got is void; required with it
	Warn      func(sentence string) // optional; says why the account is not whole

	DocumentOf func(part int) domain.DocumentID // that a part is of, so that a large one does not outweigh the others; optional
}
