package extract

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Extractor finds the graphs of chunks.
type Extractor interface {
	// Extract returns the graph of each chunk, in the request's order, according to its guide, with
	// spans in the document's stored text. Equal requests have equal results. The total cost is in the
	// first result, even if there was an error.
	Extract(ctx context.Context, r Request) ([]Result, error)

	// Reader returns the name and version of the extractor with a guide, which are recorded with each
	// result. It differs if results may differ, except for differences due to chunks that share a
	// request.
	Reader(g Guide) string

	// Asks reports whether extraction calls a model.
	Asks() bool
}

// Request is a window of a document with its context, and how to read it.
type Request struct {
	Document domain.Document
	Title    string
	Chunks   []domain.Chunk // one or more neighbours, see Windows
	Before   string         // the end of the chunk before them: context, not to be extracted from
	Guide    Guide
}

// One extracts from a single chunk.
func One(ctx context.Context, x Extractor, r Request) (Result, error) {
	found, err := x.Extract(ctx, r)
	if len(found) == 0 {
		return Result{}, err
	}
	return found[0], err
}

// contextRunes is the length of the text of the previous chunk that an extractor gets.
const contextRunes = 200

// Context returns the value of Before for a previous chunk's text: its end, from the start of a word.
func Context(text string) string {
	length := domain.Runes(text)
	if length <= contextRunes {
		return text
	}
	end := domain.Span{Start: length - contextRunes, End: length}.Slice(text)
	return end[strings.IndexAny(end, " \n")+1:]
}

// Result holds the findings in a chunk.
type Result struct {
	Graph    domain.GraphDocument
	Mined    Mined // from which Graph was made; Guide.Conform adapts it to another guide
	Warnings []string
	Dropped  []domain.Dropped // found, but not in Graph
	Cost     Cost
}

// Cost is the cost of a result.
type Cost struct {
	Calls  int       `json:"calls"` // of a model; recorded answers don't count
	Model  string    `json:"model,omitempty"`
	Tokens llm.Usage `json:"tokens"`
}

// Usage returns the cost as the trace and prices take it.
func (c Cost) Usage() domain.Usage {
	return domain.Usage{Model: c.Model, Input: c.Tokens.Input, Cached: c.Tokens.Cached, Output: c.Tokens.Output}
}

// Local returns an Extractor that calls a function instead of a model. The
// guide's schema is applied to what it finds; the rest of a guide is for models.
func Local(mine func(title string, c domain.Chunk) domain.GraphDocument, reader string) Extractor {
	return local{mine, reader}
}

type local struct {
	mine   func(title string, c domain.Chunk) domain.GraphDocument
	reader string
}

func (l local) Reader(g Guide) string { return Guide{Schema: g.Schema}.name(l.reader) }

func (l local) Asks() bool { return false }

func (l local) Extract(ctx context.Context, r Request) ([]Result, error) {
	found := make([]Result, len(r.Chunks))
	for i, c := range r.Chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found[i] = r.Guide.Conform(Mined{Graph: l.mine(r.Title, c)})
	}
	return found, nil
}
