package retrieve

import (
	"github.com/clewhq/clew/internal/domain"
)

// Method is a way of searching.
type Method string

// The methods.
const (
	Default Method = ""        // what the product does: Graph, or Hybrid while there is no graph
	Lexical Method = "lexical" // BM25
	Dense   Method = "dense"   // cosine
	Hybrid  Method = "hybrid"  // reciprocal rank fusion of both
	Graph   Method = "graph"   // the walk, started by words, vectors and names together
)

// DefaultLimit is how many passages a query gets that names no limit.
const DefaultLimit = 8

// Query asks for passages.
type Query struct {
	Text   string
	Vector []float32 // of Text; when nil, the retriever's embedder is asked if it has one
	Method Method
	Limit  int // most passages; DefaultLimit when 0 or less
	// Wider searches further for a question that found too little: twice as
	// many passages, the names of more sentences, a longer walk.
	Wider     bool
	Documents []domain.DocumentID // only passages of these, and no way through others; empty means all
}

func (q Query) limit() int {
	n := q.Limit
	if n <= 0 {
		n = DefaultLimit
	}
	if q.Wider {
		n *= 2
	}
	return n
}

// Result is what was found.
type Result struct {
	Passages []Found         // best first
	Methods  []domain.Method // every method that was considered, in the order they ran
}

// Found is a passage with what speaks for it.
type Found struct {
	Chunk   domain.ChunkID
	Score   float64  // comparable within one result only
	Methods []Method // that found it
	// Path is how the walk came from the question to the passage: over a name
	// of the question to a passage that holds it, over a name in that passage
	// to the next. A first hop with From set starts at a passage that was
	// found by its words. The path is empty when its own words brought the
	// passage.
	Path []domain.Hop
}
