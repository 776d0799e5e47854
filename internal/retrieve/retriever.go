// Package retrieve finds the passages that answer a question. It searches by
// words and by vectors, then walks the graph of names and passages from the
// names in the question, the best sentences and the best passages.
//
// The walk is a personalised PageRank (Haveliwala 2002, "Topic-sensitive PageRank") over entities and
// passages together, as in HippoRAG 2 (Gutiérrez et al. 2025, section 3), except that no model chooses
// the seeds, and that only their neighbourhood is read.
package retrieve

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Index is the part of vectorstore.Reader that searching uses.
type Index interface {
	Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error)
	Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error)
	Embedded(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) (embedded, points int, err error)
}

// Graph is the part of graphstore.Reader that the walk uses.
type Graph interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
	ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error)
	Spelt(ctx context.Context, w domain.WorkspaceID, words []string) ([]string, error)
	Near(ctx context.Context, w domain.WorkspaceID, q graphstore.NearQuery) (graphstore.Near, error)
	Chunks(ctx context.Context, w domain.WorkspaceID, q graphstore.ChunkQuery) ([]graphstore.AdjacentChunk, error)
}

// Texts looks up passages by id, in the order of ids. Unknown ids are skipped.
type Texts interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Params configure a Retriever. All fields are required.
type Params struct {
	Graph Graph
	Index Index
	Texts Texts
	Now   domain.Clock
}

// An Option configures a Retriever.
type Option func(*Retriever)

// WithEmbedder searches by the vectors of e too, and keeps those of sentences in s.
func WithEmbedder(e llm.Embedder, s llm.EmbeddingStore) Option {
	return func(r *Retriever) { r.nearest.Embedder, r.nearest.Store = e, s }
}

// A Retriever answers queries. It is safe for concurrent use.
type Retriever struct {
	Params
	nearest nearest.Ranker
	tuning  tuning
	held    atomic.Pointer[holdings]
	kept    neighbours
}

// New returns a retriever over the stores of p.
func New(p Params, opts ...Option) *Retriever {
	r := &Retriever{Params: p, tuning: tuned()}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Retrieve finds the passages for q in workspace w. Its result depends on the stores and the query alone, except for
// the times in Methods. If a store can't be reached, Retrieve continues without it and reports that in Methods; if that
// finds nothing, it returns the store's Unavailable error.
func (r *Retriever) Retrieve(ctx context.Context, w domain.WorkspaceID, q Query) (Result, error) {
	s := &search{Retriever: r, Query: q, ctx: ctx, workspace: w, tuning: r.tuning}
	if q.Wider {
		s.tuning = r.tuning.wider()
	}
	if err := s.run(); err != nil {
		return Result{}, fmt.Errorf("retrieve: %w", err)
	}
	return s.result, nil
}

// DefaultLimit is the number of passages returned if a query sets no limit.
const DefaultLimit = 8

// A Query asks for passages.
type Query struct {
	Text   string
	Asked  string // the question that Text rewords, to which passages must be near; Text if empty
	Method domain.MethodName
	Limit  int // maximum number of passages; DefaultLimit if not positive
	// Wider searches further after a query that found too little: twice as
	// many passages, the names of more sentences, a longer walk.
	Wider     bool
	Documents []domain.DocumentID // restricts passages and the walk to these; nil means all
	AsOf      domain.Day          // the walk follows only relations that hold then, if known

	Report func(domain.Method) // called for each method once it is done; may be nil
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

// A Result lists the passages found and the methods tried.
type Result struct {
	// Passages are best first. The path of a passage is the walk's route from the question to it: over
	// a name in the question to a passage that mentions it, then over a name in that passage to the
	// next. If From is set on the first hop, the route starts at a passage found by its words.
	Passages []domain.FoundPassage
	Methods  []domain.Method // in the order they ran, skipped ones included
}

// tuning holds the weights of the walk: round figures chosen on the development
// part of four sets of multi-hop questions, where halving or doubling any of
// them hardly changes recall.
type tuning struct {
	title    float64 // weight of an edge between a passage and its title
	mention  float64 // weight of an edge between a passage and another name in it
	relation float64 // weight of an edge between two related names

	damping   float64 // probability of following an edge
	passages  float64 // seed of the best passage by vectors
	byWords   float64 // and by words, if there are no vectors
	sentences int     // number of sentences whose names are seeds
	names     int     // number of such names
	step      float64 // share of mass passed on to passages mentioned by title

	ownWords, ownVectors, ownSentence float64 // shares of the three in a passage's own evidence
	ownNearness                       float64 // share in it of its best sentence's nearness, if sentences have vectors

	// Added to the logarithm of a passage's mass when it is reranked.
	own    float64 // for its own evidence
	titled float64 // if the question contains its title
	keyed  float64 // for the question's words in the first cell of a row, if the question has all words of the cell
	tie    float64 // for a name shared with a strong passage
	rest   float64 // for parts of the question that it has and a passage tied to it lacks
	fresh  float64 // for parts of the question that it has and all those chosen earlier lack

	lookup float64 // share of the question that the passage with the most evidence must have to answer alone
}

func tuned() tuning {
	return tuning{title: 3, mention: 1, relation: 1, damping: 0.6, passages: 0.05, byWords: 0.03, sentences: 3, names: 5, step: 1, ownWords: 3, ownVectors: 3, ownSentence: 2, ownNearness: 0.5, own: 1, titled: 2.5, keyed: 2.5, tie: 2, rest: 10, fresh: 1, lookup: 0.75}
}

// wider returns the tuning of a query that searches further from its seeds.
func (t tuning) wider() tuning {
	t.sentences, t.names, t.damping = 2*t.sentences, 2*t.names, 0.7
	return t
}
