package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
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

// List returns the models of a server, by name. Errors are *llm.Error.
func List(ctx context.Context, c Config) ([]llm.Listed, error) {
	c.Model = cmp.Or(c.Model, "any")
	c, err := c.WithDefaults()
	if err != nil {
		return nil, err
	}
	c.MaxAnswer, c.Timeout = maxList, min(c.Timeout, listTimeout)
	path := "/models"
	if c.Provider == Anthropic {
		path += "?limit=1000"
	}
	var listed struct {
		Failure
		Data []struct {
			Name      string `json:"id"`
			Owner     string `json:"owned_by"`
			VLLM      int    `json:"max_model_len"`
			Router    int    `json:"context_length"`
			Groq      int    `json:"context_window"`
			Mistral   int    `json:"max_context_length"`
			Anthropic int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := c.get(ctx, path, &listed, &listed.Failure); err != nil {
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
	c, err := c.WithDefaults()
	if err != nil || c.Provider != OpenAI {
		return l
	}
	c.MaxAnswer, c.Timeout = maxList, min(c.Timeout, listTimeout)
	root, ok := strings.CutSuffix(c.BaseURL, "/v1")
	if !ok || slices.Contains(slices.Collect(maps.Values(defaultURL)), c.BaseURL) {
		return l
	}
	c.BaseURL = root
	var ollama struct {
		Info map[string]any `json:"model_info"`
	}
	if c.ask(ctx, "/api/show", map[string]any{"model": c.Model}, &ollama) == nil {
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
	if c.ask(ctx, "/props", nil, &llamaCPP) == nil {
		l.Context = llamaCPP.Settings.Context
	}
	return l
}

// get reads the answer of an address into v, in which f is embedded.
func (c Config) get(ctx context.Context, path string, v any, f *Failure) error {
	body, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return c.Misread(f.Decode(body, v))
}

// ask reads the answer of an address into v, by POST if there is something to send.
func (c Config) ask(ctx context.Context, path string, what, v any) error {
	method, sent := http.MethodGet, []byte(nil)
	if what != nil {
		var err error
		if sent, err = json.Marshal(what); err != nil {
			return err
		}
		method = http.MethodPost
	}
	body, err := c.send(ctx, method, path, sent)
	if err != nil {
		return err
	}
	return decode(body, v)
}

// send sends a request outside of a library, with the key as the protocol wants it.
func (c Config) send(ctx context.Context, method, path string, sent []byte) ([]byte, error) {
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(timed, method, c.BaseURL+path, bytes.NewReader(sent))
	if err != nil {
		return nil, c.notBuilt(err)
	}
	c.sign(req)
	resp, err := NewClient(c).client.Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, llm.Stopped(ctx.Err())
	case timed.Err() != nil:
		return nil, c.tooSlow(timed.Err())
	case err != nil:
		return nil, c.unreachable(err)
	}
	defer resp.Body.Close()
	limited := http.MaxBytesReader(nil, resp.Body, c.MaxAnswer)
	if resp.StatusCode/100 != 2 {
		return nil, c.badStatus(resp, limited)
	}
	body, err := io.ReadAll(limited)
	if err != nil {
		return nil, c.broken(err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, c.webPage()
	}
	return body, nil
}

// sign adds the key, and the headers and parameters of the configuration.
func (c Config) sign(req *http.Request) {
	req.Header.Set("Content-Type", "application/json")
	switch {
	case c.Provider == Anthropic:
		req.Header.Set("Anthropic-Version", "2023-06-01")
		if c.Key != "" {
			req.Header.Set("X-Api-Key", c.Key)
		}
	case c.Key != "":
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	for name, value := range c.Headers {
		req.Header.Set(name, value)
	}
	query := req.URL.Query()
	maps.Copy(query, c.Query)
	req.URL.RawQuery = query.Encode()
}
