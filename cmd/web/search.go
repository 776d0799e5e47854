package main

import (
	"context"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/retrieve"
)

// searcher adapts the retriever to the answer graph.
type searcher struct{ *retrieve.Retriever }

var _ answer.Retriever = searcher{}

// Retrieve implements answer.Retriever.
func (s searcher) Retrieve(ctx context.Context, q answer.Query) (answer.Found, error) {
	result, err := s.Retriever.Retrieve(ctx, q.Workspace, retrieve.Query{Text: q.Text, Limit: q.Limit, Wider: q.Wide > 0, Documents: q.Documents})
	if err != nil {
		return answer.Found{}, err
	}
	found := answer.Found{Methods: result.Methods}
	for _, p := range result.Passages {
		scored := answer.Scored{Chunk: p.Chunk, Score: p.Score, Path: p.Path}
		if len(p.Methods) > 0 {
			scored.Method = string(p.Methods[0])
		}
		found.Passages = append(found.Passages, scored)
	}
	return found, nil
}
