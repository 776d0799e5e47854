package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit/python"
)

// TestClientsOfOpenAIAsk has the clients of OpenAI and LangChain ask a library: at once, as a stream, and in vain.
func TestClientsOfOpenAIAsk(t *testing.T) {
	t.Parallel()
	s, _ := speak(t)
	for name, client := range map[string]func(*testing.T) []string{
		"Python": func(t *testing.T) []string {
			return []string{python.Interpreter(t), "cmd/web/testdata/openai_client.py"}
		},
		"TypeScript": func(t *testing.T) []string {
			return []string{nodeWith(t, "openai"), "cmd/web/testdata/openai_client.mjs"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(client(t), s.url, s.secret)
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
			cmd.Dir = absolute(t, "../..")
			said := new(strings.Builder)
			cmd.Stderr = said
			out, err := cmd.Output()
			var got struct {
				Models, Errors             []string
				Answer, URL, Streamed      string
				Annotations, Usage, Pieces int
				Chain                      *string
				ChainStreamed              string `json:"chain_streamed"`
			}
			if err != nil || json.Unmarshal(out, &got) != nil {
				t.Fatalf("%v: %s%s", err, out, said)
			}
			if !slices.Contains(got.Models, "clew") || !strings.Contains(got.Answer, "Maud Ferring") || !strings.HasPrefix(got.URL, s.url+library("/documents/")) {
				t.Errorf("models %v, answer %q at %q", got.Models, got.Answer, got.URL)
			}
			if got.Streamed != got.Answer || got.Annotations != 1 || got.Usage != 1 || got.Pieces < 4 {
				t.Errorf("streamed %q with %d annotations and %d usages in %d pieces, want the answer %q", got.Streamed, got.Annotations, got.Usage, got.Pieces, got.Answer)
			}
			if want := []string{"NotFoundError", "AuthenticationError"}; !slices.Equal(got.Errors, want) {
				t.Errorf("errors %v, want %v", got.Errors, want)
			}
			if got.Chain != nil && (*got.Chain != got.Answer || got.ChainStreamed != got.Answer) {
				t.Errorf("LangChain answers %q and streams %q, want %q", *got.Chain, got.ChainStreamed, got.Answer)
			}
		})
	}
}
