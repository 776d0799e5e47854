package models

import (
	"context"
	"io"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/operation"
)

// Operations are the operations on the models in use.
func Operations() []operation.Operation[*Set] {
	return []operation.Operation[*Set]{
		operation.Op[*Set, struct{}, llm.Checks]{
			Name: "model test", Short: "Test the models in use with a few short calls", Scope: operation.Install, Routes: []string{"POST /models/test"}, Trail: operation.Trail{Never: "it tries, and keeps only how the model grades"},
			Long: `Test the models in use with a few short calls: chat, tools, JSON schemas and
embeddings with their dimension. With GRADE_MANY=auto, the model grades 36 labelled
passages one by one and in four calls, and where it does as well together, questions
are graded so within seconds. The exit status is 1 if one does not answer.`,
			Do:   func(s *Set, ctx context.Context, _ struct{}) (llm.Checks, error) { return s.Test(ctx), nil },
			Text: func(w io.Writer, c llm.Checks) error { return c.Print(w) },
		},
	}
}
