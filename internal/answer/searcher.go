package answer

import (
	"context"

	"github.com/clewhq/clew/internal/retrieve"
)

// Searcher finds passages with a retriever of the package retrieve.
type Searcher struct{ *retrieve.Retriever }

var _ Retriever = Searcher{}

// Retrieve implements Retriever.
func (s Searcher) Retrieve(ctx context.Context, q Query) (Found, error) {
	result, err := s.Retriever.Retrieve(ctx, q.Workspace, retrieve.Query{
		Text: q.Text, Asked: q.Asked, Method: q.Method, Limit: q.Limit, Wider: q.Wide > 0, Documents: q.Documents, Report: q.Report,
	})
	if err != nil {
		return Found{}, err
	}
	found := Found{Methods: result.Methods}
	for _, p := range result.Passages {
		found.Passages = append(found.Passages, Scored{Chunk: p.Chunk, Score: p.Score, Methods: p.Methods, Path: p.Path})
	}
	return found, nil
}
