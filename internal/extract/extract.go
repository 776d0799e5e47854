package extract

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Extractor finds the graph of a chunk.
type Extractor interface {
	// Extract returns the chunk's graph, with spans in the document's stored
	// text, and a warning for each thing left out. Equal requests have equal
	// results.
	Extract(ctx context.Context, r Request) (domain.GraphDocument, []string, error)

	// Reader returns the extractor's name and version, which are recorded with
	// each result. Extractors that may differ in their results differ in it.
	Reader() string
}

// Request is a chunk and its context.
type Request struct {
	Document domain.Document
	Title    string
	Chunk    domain.Chunk
	Before   string // the end of the previous chunk: context, not to be extracted from
}

// Local returns an Extractor that calls a function instead of a model.
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
