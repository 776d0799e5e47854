package connections

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
)

type oneRole struct {
	Role string `json:"role" arg:"ROLE" trail:"" doc:"answer, extract, grade, rewrite, summary, describe or embed"`
}

// Operations are the operations on the models of roles.
func Operations() []operation.Operation[*Service] {
	return append(connecting(), []operation.Operation[*Service]{
		operation.Op[*Service, struct{}, []Standing]{
			Name: "model list", Scope: operation.Install, Routes: []string{"GET /models"}, Short: "Say which model fills each role, and where it comes from",
			Long: `Say which model fills each role: answer, extract, grade, rewrite, summary,
describe and embed. It comes from the environment, was connected, or is that of answer.`,
			Do:   func(s *Service, ctx context.Context, _ struct{}) ([]Standing, error) { return s.Standings(ctx) },
			Text: printStandings,
		},
		operation.Op[*Service, oneRole, []string]{
			Name: "model forget", Scope: operation.Install, Routes: []string{"DELETE /models/{role}"}, Short: "Forget a connected model and its key",
			Long: `Forget the model that was connected for a role, and its key. The role is filled
by the model of answer, or without one by the built-in mode.`,
			Do: func(s *Service, ctx context.Context, in oneRole) ([]string, error) {
				if err := s.Forget(ctx, Role(in.Role)); err != nil {
					return nil, err
				}
				return []string{in.Role}, nil
			},
			Text: operation.Line(func(roles []string) string { return "The model for " + roles[0] + " was forgotten, with its key." }),
		},
	}...)
}

func printStandings(w io.Writer, all []Standing) error {
	err := operation.Table("ROLE\tMODEL\tFROM\tADDRESS\tAT MOST", "", func(st Standing) []any {
		return []any{st.Role, cmp.Or(st.Model, "-"), st.From, cmp.Or(st.Address, "-"), cmp.Or(format.Rate(st.PerMinute, st.TokensPerMinute), "-")}
	})(w, all)
	for _, st := range all {
		switch {
		case st.Kept == nil:
		case st.Kept.Problem != "":
			fmt.Fprintf(w, "%s: %s is connected and not used. %s\n", st.Role, st.Kept.Model, st.Kept.Problem)
		case st.From == FromEnvironment:
			fmt.Fprintf(w, "%s: %s is connected, but the settings %s_… of the environment go first.\n", st.Role, st.Kept.Model, st.Role.Settings())
		}
	}
	return err
}
