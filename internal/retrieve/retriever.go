package retrieve

import (
	"context"
	"fmt"

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

// Texts looks up passages by id, in the order of ids. Unknown ids are skipped.
type Texts interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Params configure a Retriever. All fields are required.
type Params struct {
	Graph graphstore.Whole
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

// maxSnapshots bounds how many workspaces are kept in memory.
const maxSnapshots = 16

// A Retriever answers queries. It is safe for concurrent use.
type Retriever struct {
	Params
	nearest   nearest.Ranker
	snapshots *graphstore.Cache[*snapshot]
	tuning    tuning
}

// New returns a retriever over the stores of p.
func New(p Params, opts ...Option) *Retriever {
	r := &Retriever{Params: p, tuning: tuned()}
	for _, o := range opts {
		o(r)
	}
	r.snapshots = graphstore.NewCache(p.Graph, maxSnapshots, func(a *graphstore.Adjacency) *snapshot { return newSnapshot(a, r.tuning) })
	return r
}

// Retrieve finds the passages for q in workspace w. Its result depends on the
// stores and the query alone, except for the times in Methods. If a store
// can't be reached, Retrieve goes on without it and says so in Methods; if that
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
