package extract

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Extractor finds the graph of a chunk.
type Extractor interface {
	// Extract returns the chunk's graph as the request's guide wants it, with
	// spans in the document's stored text. Equal requests have equal results.
	Extract(ctx context.Context, r Request) (Result, error)

	// Reader returns the name and version of the extractor with a guide, which are
	// recorded with each result. What may lead to other results differs in it.
	Reader(g Guide) string

	// Asks reports whether extraction costs calls of a model.
	Asks() bool
}

// Request is a chunk and its context, and how to read it.
type Request struct {
	Document domain.Document
	Title    string
	Chunk    domain.Chunk
	Before   string // the end of the previous chunk: context, not to be extracted from
	Guide    Guide
}

// contextRunes is the length of what an extractor gets of the previous chunk.
const contextRunes = 200

// Context returns what Before holds of a previous chunk's text: its end, from the
// start of a word.
func Context(text string) string {
	length := domain.Runes(text)
	if length <= contextRunes {
		return text
	}
	end := domain.Span{Start: length - contextRunes, End: length}.Slice(text)
	return end[strings.IndexAny(end, " \n")+1:]
}

// Result is what was found in a chunk.
type Result struct {
	Graph    domain.GraphDocument
	Mined    Mined // what Graph was made of; Guide.Conform makes that of another guide
	Warnings []string
	Dropped  []domain.Dropped // what was found and is not in Graph
	Cost     Cost
}

// Cost is what a result cost.
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

func (l local) Extract(ctx context.Context, r Request) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return r.Guide.Conform(Mined{Graph: l.mine(r.Title, r.Chunk)}), nil
}
