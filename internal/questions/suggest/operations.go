package suggest

import (
	"context"
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

type wanted struct {
	Limit int `json:"limit" default:"10" doc:"list at most this many"`
}

// Operations returns the operations on suggested questions.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{operation.Op[*Service, wanted, []Suggestion]{
		Name: "suggest", Short: "List questions that the library can answer", Scope: operation.Read, Routes: []string{"GET /suggestions"},
		Long: `List questions made from sentences of the newest documents, each with the
document that answers it. Each was asked: the sentence nearest to it is the one
that it was made from. What a conversation has asked before is left out.`,
		Example: `  clew suggest
  clew suggest --limit 20 --json`,
		Do: func(s *Service, ctx context.Context, in wanted) ([]Suggestion, error) {
			return s.Suggest(ctx, domain.WorkspaceOf(ctx), in.Limit)
		},
		Text: func(w io.Writer, list []Suggestion) error {
			for _, q := range list {
				fmt.Fprintf(w, "%s\n    %s\n", q.Question, q.Name)
			}
			if len(list) == 0 {
				fmt.Fprintln(w, "No document contains a sentence that could become a question.")
			}
			return nil
		},
	}}
}
