package connections

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
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
			Name: "model list", Scope: operation.Install, Routes: []string{"GET /models"}, Short: "Show which model fills each role, and where that is set",
			Long: `Show which model fills each role: answer, extract, grade, rewrite, summary,
describe and embed. It comes from the environment, was connected, or is that of answer.`,
			Do:   func(s *Service, ctx context.Context, _ struct{}) ([]Standing, error) { return s.Standings(ctx) },
			Text: printStandings,
		},
		operation.Op[*Service, oneRole, []string]{
			Name: "model forget", Scope: operation.Install, Routes: []string{"DELETE /models/{role}"}, Short: "Forget a connected model and its key", Example: "  clew model forget grade",
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

// Reaching describes how to reach a server of models.
type Reaching struct {
	Server  string `json:"server" trail:"" doc:"ollama, openai, anthropic, azure, gemini, vllm, llama.cpp or other; same for the server of answer; builtin for embed on this machine"`
	Address string `json:"address" doc:"of the server's API; where its kind usually is if not given"`
	Key     string `json:"key" secret:"" doc:"key of the server; by default the one that is kept for the same address"`
}

// Connecting is a model to be connected for a role.
type Connecting struct {
	Role Role `json:"role" arg:"ROLE" trail:"" doc:"answer, extract, grade, rewrite, summary, describe or embed"`
	Reaching
	Model           string `json:"model" trail:"" doc:"name of the model on its server"`
	Embed           string `json:"embed" trail:"" doc:"name of an embedding model on the same server, for search by meaning"`
	PerMinute       int    `json:"per_minute" doc:"most calls to the server in a minute; 0 is no limit"`
	TokensPerMinute int    `json:"tokens_per_minute" doc:"most tokens sent to and received from the server in a minute; 0 is no limit"`
	Force           bool   `json:"force" trail:"" doc:"save it even if a test fails"`
}

type looking struct {
	Reaching
	Role Role `json:"role" default:"answer" doc:"role that the model would fill"`
}

// connecting are the operations that reach for a server. Their commands ask for the key.
func connecting() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, Connecting, llm.Checks]{
			Name: "model connect", Short: "Test a model and connect it", Scope: operation.Install, Routes: []string{"PUT /models/{role}"}, Own: true,
			Do: func(s *Service, ctx context.Context, in Connecting) (llm.Checks, error) { return s.Connect(ctx, in) },
		},
		operation.Op[*Service, looking, []llm.Listed]{
			Name: "model offered", Short: "List the models that a server has", Scope: operation.Install, Routes: []string{"POST /models/offered"}, Trail: operation.Trail{Never: "it asks a server for its list, and nothing is kept"}, Own: true,
			Do: func(s *Service, ctx context.Context, in looking) ([]llm.Listed, error) {
				return s.Models(ctx, Connection{Role: in.Role, Server: in.Server, Address: in.Address, Key: in.Key})
			},
			Text: func(w io.Writer, all []llm.Listed) error {
				for _, l := range all {
					size := ""
					if l.Context > 0 {
						size = fmt.Sprintf("  %s tokens", format.Int(l.Context))
					}
					fmt.Fprintf(w, "%s%s\n", l.Name, size)
				}
				return nil
			},
		},
	}
}

// Connect tests a model, and saves it if it works or is forced. It returns the tests even if they fail, which is an error of
// kind Unavailable.
func (s *Service) Connect(ctx context.Context, in Connecting) ([]llm.Check, error) {
	c := Connection{
		Role: in.Role, Server: in.Server, Address: in.Address, Key: in.Key, Model: in.Model, PerMinute: in.PerMinute, TokensPerMinute: in.TokensPerMinute,
	}
	all := []Connection{c}
	if in.Embed != "" {
		e := c
		e.Role, e.Model = Embed, in.Embed
		all = append(all, e)
	}
	checks, err := s.Test(ctx, all...)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(checks, llm.Check.Fatal); i >= 0 && !in.Force {
		return checks, domain.Errorf(domain.Unavailable, "%s Nothing was saved. With force, it is saved all the same.", checks[i].Sentence)
	}
	return checks, s.Save(ctx, all...)
}
