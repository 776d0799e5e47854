package retrieve

import (
	"context"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Walked is what the walk needs of the graph. See graphstore.Reader.
type Walked interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
	Adjacency(ctx context.Context, w domain.WorkspaceID) (*graphstore.Adjacency, error)
}

// Searched is what searching needs of the index. See vectorstore.Reader.
type Searched interface {
	Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error)
	Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error)
}

// Texts gives passages by their ids, in the order asked; ids that are gone are
// left out.
type Texts interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Params are what a retriever works with. All are required.
type Params struct {
	Graph Walked
	Index Searched
	Texts Texts
	Now   func() time.Time
}

// Option changes how a retriever works.
type Option func(*Retriever)

// WithEmbedder lets questions be embedded. Without it only queries that bring
// a vector are searched by vectors.
func WithEmbedder(e llm.Embedder) Option {
	return func(r *Retriever) { r.embedder = e }
}

// Retriever answers queries. It is safe for concurrent use.
type Retriever struct {
	Params
	embedder  llm.Embedder // nil: questions have no vectors unless they bring one
	snapshots snapshots
	tuning    tuning
}

// New returns a retriever over the stores of p.
func New(p Params, opts ...Option) *Retriever {
	r := &Retriever{Params: p, tuning: tuned()}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Retrieve finds the passages for q in workspace w. The same stores and the
// same query always give the same result, but for the times in Methods. An
// error of kind Invalid says that the query's vector does not fit the stored
// ones. A store that can't be reached is left out, as Methods say; when nothing
// is found without it, its error of kind Unavailable is returned.
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
