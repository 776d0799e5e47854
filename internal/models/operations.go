package models

import (
	"context"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/operation"
)

// Operations are what can be done with the models in use.
func Operations() []operation.Operation[*Set] {
	return []operation.Operation[*Set]{
		operation.Op[*Set, struct{}, []llm.Check]{
			Name: "model test", Short: "Test the models in use by a few short calls", Scope: operation.Admin, Routes: []string{"POST /models/test"}, Own: true,
			Do: func(s *Set, ctx context.Context, _ struct{}) ([]llm.Check, error) { return s.Test(ctx), nil },
		},
	}
}
