package langchain

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/llm"
)

// Bounds of a list of models.
const (
	maxList     = 4 << 20 // bytes
	listTimeout = 20 * time.Second
)

// lister returns the server of a configuration, with the bounds of a list.
func lister(c Config) (server, error) {
	c.Model = cmp.Or(c.Model, "any")
	s, err := newServer(c)
	s.MaxAnswer, s.Timeout = maxList, min(s.Timeout, listTimeout)
	return s, err
}

// List returns the models of a server, by name. Errors are *llm.Error.
func List(ctx context.Context, c Config) ([]llm.Listed, error) {
	s, err := lister(c)
	if err != nil {
		return nil, err
	}
	path := "/models"
	if c.Provider == Anthropic {
		path += "?limit=1000"
	}
	var listed struct {
		Data []struct {
			Name      string `json:"id"`
			VLLM      int    `json:"max_model_len"`
			Router    int    `json:"context_length"`
			Groq      int    `json:"context_window"`
			Mistral   int    `json:"max_context_length"`
			Anthropic int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := s.call(ctx, path, nil, func(body []byte) error { return decode(body, &listed) }, nil); err != nil {
		return nil, err
	}
	var all []llm.Listed
	for _, m := range listed.Data {
		l := llm.Listed{Name: strings.TrimPrefix(m.Name, "models/"), Context: cmp.Or(m.VLLM, m.Router, m.Groq, m.Mistral, m.Anthropic)}
		if l.Name != "" {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b llm.Listed) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Describe returns what a server says about the model of a configuration. Only the
// list of models is standard; Ollama and llama.cpp tell how long a context is
// elsewhere. A server that does not know such an address has said nothing.
func Describe(ctx context.Context, c Config, all []llm.Listed) llm.Listed {
	if i := slices.IndexFunc(all, func(l llm.Listed) bool { return l.Name == c.Model }); i >= 0 && all[i].Context > 0 {
		return all[i]
	}
	l := llm.Listed{Name: c.Model}
	s, err := lister(c)
	root, ok := strings.CutSuffix(s.BaseURL, "/v1")
	if err != nil || c.Provider != OpenAI || !ok || slices.Contains(slices.Collect(maps.Values(defaultURL)), s.BaseURL) {
		return l
	}
	s.BaseURL = root
	var ollama struct {
		Info map[string]any `json:"model_info"`
	}
	read := func(v any) func([]byte) error { return func(body []byte) error { return decodeNumbers(body, v) } }
	if s.call(ctx, "/api/show", map[string]any{"model": c.Model}, read(&ollama), nil) == nil {
		for name, v := range ollama.Info {
			if n, ok := v.(json.Number); ok && strings.HasSuffix(name, ".context_length") {
				tokens, _ := n.Int64()
				l.Context, l.Cuts = int(tokens), true
			}
		}
		return l
	}
	var llamaCPP struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if s.call(ctx, "/props", nil, read(&llamaCPP), nil) == nil {
		l.Context = llamaCPP.Settings.Context
	}
	return l
}
