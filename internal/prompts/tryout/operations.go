package tryout

import (
	"context"
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

type trying struct {
	Role  string  `json:"role" arg:"ROLE" doc:"a role, as clew prompts list names it"`
	Words string  `json:"words" arg:"WORDS" doc:"what to search for"`
	Draft *string `json:"draft" file:"1048576" doc:"file with the draft, or - for standard input; without one, the current text"`
}

// Operations returns the operations on drafts of prompts.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{operation.Op[*Service, trying, Trial]{
		Name: "prompts try", Short: "Try a draft beside the prompt in force on what a search for WORDS finds; nothing is saved", Scope: operation.WriteSchema, Routes: []string{"POST /prompts/{role}/try"}, Trail: operation.Trail{Never: "it tries, and changes nothing"}, Example: `  clew prompts try grade "Who paid for the repair?" --draft grade.tmpl`,
		Do: func(s *Service, ctx context.Context, in trying) (Trial, error) {
			now, err := s.Prompts.Current(ctx, domain.WorkspaceOf(ctx), in.Role)
			if err != nil {
				return Trial{}, err
			}
			if in.Draft != nil {
				now.Text = *in.Draft
			}
			return s.Try(ctx, domain.WorkspaceOf(ctx), in.Role, now.Text, in.Words)
		},
		Text: printTrial,
	}}
}

func printTrial(w io.Writer, t Trial) error {
	if t.Model == "" {
		fmt.Fprintln(w, "No model is configured. This is what would be sent.")
	}
	for _, side := range []struct {
		name string
		Side
	}{{"THE TEXT IN FORCE", t.Current}, {"THE DRAFT", t.Draft}} {
		fmt.Fprintf(w, "\n=== %s, with %q\n", side.name, t.Passage)
		for _, c := range side.Calls {
			for _, m := range c.Messages {
				fmt.Fprintf(w, "--- %s\n%s\n", m.Role, m.Text)
			}
			if t.Model != "" {
				fmt.Fprintf(w, "--- answer of %s, %d tokens sent, %d received\n%s\n", t.Model, c.Usage.Input, c.Usage.Output, c.Answer)
			}
		}
		if side.Problem != "" {
			fmt.Fprintln(w, side.Problem)
		}
	}
	return nil
}
