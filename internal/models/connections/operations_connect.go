package connections

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
)

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
