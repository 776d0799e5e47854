package extract

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Extractor mines chunks.
type Extractor interface {
	// Extract gives what the chunk contributes to the graph, and warnings
	// that name what was left out. Spans lie in the document's stored text.
	// It depends on the request alone.
	Extract(ctx context.Context, r Request) (domain.GraphDocument, []string, error)

	// Reader is the extractor's name and version, as recorded with what it
	// finds; two extractors that may find different things differ in it.
	Reader() string
}

// Request is one chunk with what helps to understand it.
type Request struct {
	Document domain.Document
	Title    string
	Chunk    domain.Chunk
	Before   string // the end of the chunk before: context, not to be mined
}

// Local makes an Extractor of a function that needs no model.
func Local(mine func(title string, c domain.Chunk) domain.GraphDocument, reader string) Extractor {
	return local{mine, reader}
}

type local struct {
	mine   func(title string, c domain.Chunk) domain.GraphDocument
	reader string
}

func (l local) Reader() string { return l.reader }

func (l local) Extract(ctx context.Context, r Request) (domain.GraphDocument, []string, error) {
	if err := ctx.Err(); err != nil {
		return domain.GraphDocument{}, nil, err
	}
	return l.mine(r.Title, r.Chunk), nil, nil
}
