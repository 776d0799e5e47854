package qdrant

import (
	"cmp"
	"context"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Lexical implements vectorstore.Reader.
func (x *index) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	indices, values := weighQuery(q.Text)
	if q.Limit <= 0 || len(indices) == 0 {
		return nil, nil
	}
	var hits []vectorstore.Hit
	err := x.read(ctx, func(g *edition) (err error) {
		hits, err = x.best(ctx, q.Limit, &qdrant.QueryPoints{
			CollectionName: g.collection(q.Collection), Filter: of(w, inDocuments(q.Documents)...),
			Query: qdrant.NewQuerySparse(indices, values), Using: new(bm25),
		})
		return err
	})
	return hits, err
}

// Dense implements vectorstore.Reader.
func (x *index) Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	var hits []vectorstore.Hit
	err := x.read(ctx, func(g *edition) (err error) {
		if there, err := x.compares(ctx, g, len(q.Vector)); err != nil || !there || q.Limit <= 0 {
			return err
		}
		hits, err = x.best(ctx, q.Limit, &qdrant.QueryPoints{
			CollectionName: g.collection(q.Collection), Filter: of(w, inDocuments(q.Documents)...),
			Query: qdrant.NewQueryDense(q.Vector), Using: new(dense), Params: x.params(),
		})
		return err
	})
	return hits, err
}

// compares reports whether g can be searched by a vector of a dimension. It
// returns an error if g has vectors that can't be compared with it, and false
// if it has none.
func (x *index) compares(ctx context.Context, g *edition, dimension int) (bool, error) {
	misfit := x.comparable(g, dimension)
	if misfit == nil {
		return true, nil
	}
	held, err := x.holdsVectors(ctx, g)
	if err != nil || !held {
		return false, err
	}
	return false, misfit
}

// comparable returns an error for a vector that can't be compared with the vectors of g.
func (x *index) comparable(g *edition, dimension int) error {
	e := g.embedding
	if x.model != "" && e.Model != "" && x.model != e.Model {
		return vectorstore.ModelError(x.model, e.Model)
	}
	if dimension != e.Dimension {
		return dimensionError(dimension, e.Dimension)
	}
	return nil
}

func dimensionError(got, want int) error {
	return domain.Errorf(domain.Invalid,
		"A vector of %d dimensions does not fit the search index, whose vectors have %d; after a change of the embedding model, rebuild the search index.", got, want)
}

// A search in compressed vectors returns more candidates by these factors,
// which are ranked again by the original vectors.
const (
	oversampleScalar = 2
	oversampleBinary = 4
)

// params returns the parameters of a search, nil if vectors are not compressed.
func (s *server) params() *qdrant.SearchParams {
	var factor float64
	switch s.Quantization {
	case "scalar":
		factor = oversampleScalar
	case "binary":
		factor = oversampleBinary
	default:
		return nil
	}
	return &qdrant.SearchParams{Quantization: &qdrant.QuantizationSearchParams{Rescore: new(true), Oversampling: &factor}}
}

const (
	tieSlack = 16    // points read beyond the limit, to order equal scores by id
	maxTies  = 4_000 // maximum of points read for this
)

// best returns the first limit points of a query, ties by id. It reads more
// while the last point read ties with the last one wanted.
func (x *index) best(ctx context.Context, limit int, query *qdrant.QueryPoints) ([]vectorstore.Hit, error) {
	query.WithPayload = qdrant.NewWithPayloadInclude(fieldID)
	query.WithVectors = qdrant.NewWithVectors(false)
	for n := limit + tieSlack; ; n *= 4 {
		query.Limit = new(uint64(n))
		var points []*qdrant.ScoredPoint
		err := x.call(ctx, reading, "search", func(ctx context.Context) (err error) {
			points, err = x.client.Query(ctx, query)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(points) == n && n < maxTies && points[n-1].GetScore() == points[limit-1].GetScore() {
			continue
		}
		hits := make([]vectorstore.Hit, len(points))
		for i, p := range points {
			hits[i] = vectorstore.Hit{ID: p.GetPayload()[fieldID].GetStringValue(), Score: float64(p.GetScore())}
		}
		slices.SortFunc(hits, func(a, b vectorstore.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		return hits[:min(len(hits), limit)], nil
	}
}
