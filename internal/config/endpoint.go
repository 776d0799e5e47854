package config

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Endpoint configures a model and how to reach it.
type Endpoint struct {
	Provider string `env:"PROVIDER" help:"openai for any server with the OpenAI protocol (OpenAI, Azure, Ollama, vLLM, llama.cpp, Gemini and most hosts), or anthropic for a chat model."`
	BaseURL  string `env:"BASE_URL" help:"Address of the model's API, for example http://127.0.0.1:11434/v1 for Ollama or https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT for Azure. Empty: the provider's default."`
	Key      string `env:"API_KEY" secret:"true" help:"Key for the model's API. Empty if the server needs none, or gets it in a header."`
	Name     string `env:"MODEL" help:"Name of the model on its server."`
	Headers  string `env:"HEADERS" secret:"true" help:"Headers sent with each call, separated by semicolons, for example api-key: SECRET; X-Team: archive."`
	Query    string `env:"QUERY" secret:"true" help:"Parameters added to each address, for example api-version=2024-10-21."`

	PerMinute       int `env:"PER_MINUTE" envDefault:"0" help:"Maximum number of calls to the server per minute, per process; 0 means no limit."`
	TokensPerMinute int `env:"TOKENS_PER_MINUTE" envDefault:"0" help:"Maximum number of tokens sent to and received from the server per minute, per process; 0 means no limit."`
}

// The providers of embeddings without a server: the model on this machine, and none at
// all, which keeps that model from being the default.
const (
	Builtin = "builtin"
	None    = "none"
)

// Enabled reports whether the model is configured.
func (e Endpoint) Enabled() bool { return e.Provider != "" && e.Provider != None }

// Given reports whether anything but the rates is configured.
func (e Endpoint) Given() bool {
	e.PerMinute, e.TokensPerMinute = 0, 0
	return e != Endpoint{}
}

// Elsewhere reports whether a role's endpoint names a server of its own.
func (e Endpoint) Elsewhere() bool { return e.Provider != "" || e.BaseURL != "" }

// For returns the endpoint of a role, with the values of m for those it leaves empty. If it names another server, it
// inherits no key, header, parameter or rate.
func (m Model) For(role Endpoint) Endpoint {
	e := m.Endpoint
	if role.Elsewhere() {
		e = Endpoint{Provider: e.Provider, Name: e.Name}
	}
	e.PerMinute, e.TokensPerMinute = cmp.Or(role.PerMinute, e.PerMinute), cmp.Or(role.TokensPerMinute, e.TokensPerMinute)
	for _, f := range []struct {
		to    *string
		value string
	}{{&e.Provider, role.Provider}, {&e.BaseURL, role.BaseURL}, {&e.Key, role.Key}, {&e.Name, role.Name}, {&e.Headers, role.Headers}, {&e.Query, role.Query}} {
		if f.value != "" {
			*f.to = f.value
		}
	}
	return e
}

// HeaderMap returns the headers by name, and false when one has no name or can't
// be sent.
func (e Endpoint) HeaderMap() (map[string]string, bool) {
	headers := map[string]string{}
	for part := range strings.SplitSeq(e.Headers, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsFunc(name, notInName) || strings.ContainsFunc(value, isControl) {
			return nil, false
		}
		headers[name] = value
	}
	return headers, true
}

// notInName reports whether a character is not allowed in the name of a header.
func notInName(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Parameters returns the parameters of the query.
func (e Endpoint) Parameters() (url.Values, error) {
	return url.ParseQuery(strings.TrimPrefix(e.Query, "?"))
}

func (c Config) checkModels() []error {
	problems := append(c.Model.check("LLM", "openai", "anthropic"), c.Embed.check("EMBED", "openai", Builtin, None)...)
	if c.DescribePictures < 0 {
		problems = append(problems, domain.Errorf(domain.Invalid, "DESCRIBE_PICTURES is %d, but should be at least 0.", c.DescribePictures))
	}
	problems = append(problems, checkAddress("WEB_SEARCH_URL", c.WebSearch, "http://127.0.0.1:8888", "http", "https")...)
	problems = append(problems, checkAddress("RERANK_BASE_URL", c.Order.BaseURL, "http://127.0.0.1:8000", "http", "https")...)
	if c.Order.BaseURL == "" && c.Order != (Reranker{}) {
		problems = append(problems, domain.Errorf(domain.Invalid, "RERANK_MODEL or RERANK_API_KEY is set, but RERANK_BASE_URL is empty: name the server of the cross-encoder."))
	}
	m := c.Model
	for _, role := range []struct {
		prefix string
		Endpoint
	}{{"EXTRACT", m.Extract}, {"GRADE", m.Grade}, {"REWRITE", m.Rewrite}, {"SUMMARY", m.Summary}, {"DESCRIBE", m.Describe}} {
		if role.Given() && !m.Enabled() {
			problems = append(problems, domain.Errorf(domain.Invalid, "%s_… configures a model for a role, but LLM_PROVIDER is empty: set it to openai or anthropic.", role.prefix))
			continue
		}
		if role.Given() {
			problems = append(problems, m.For(role.Endpoint).check(role.prefix, "openai", "anthropic")...)
		}
	}
	return problems
}

// check returns an error for wrong settings of a prefix. It quotes no value that may be a secret.
func (e Endpoint) check(prefix string, providers ...string) []error {
	problems := checkAddress(prefix+"_BASE_URL", strings.TrimSpace(e.BaseURL), "http://127.0.0.1:11434/v1", "http", "https")
	add := func(format string, args ...any) {
		problems = append(problems, domain.Errorf(domain.Invalid, format, args...))
	}
	switch {
	case e.Provider != "" && !slices.Contains(providers, e.Provider):
		add("%s_PROVIDER is %q, but should be %s or empty. For Ollama, vLLM, llama.cpp, Azure and Gemini use openai with %s_BASE_URL.", prefix, e.Provider, strings.Join(providers, ", "), prefix)
	case e.Provider == "" && e.Given():
		add("%s_… configures a model, but %s_PROVIDER is empty: set it to %s.", prefix, prefix, strings.Join(providers, " or "))
	case e.Provider == Builtin || e.Provider == None:
		if e != (Endpoint{Provider: e.Provider}) {
			add("%s_PROVIDER is %s, which takes no other setting: leave the other settings %s_… empty.", prefix, e.Provider, prefix)
		}
	case e.Provider != "" && e.Name == "":
		add("%s_PROVIDER is %s, but %s_MODEL is empty: name the model.", prefix, e.Provider, prefix)
	}
	if e.PerMinute < 0 || e.TokensPerMinute < 0 {
		add("%s_PER_MINUTE and %s_TOKENS_PER_MINUTE should be 0 or more.", prefix, prefix)
	}
	if _, ok := e.HeaderMap(); !ok {
		add("%s_HEADERS can't be read: it should be like Name: value; Other-Name: value.", prefix)
	}
	if _, err := e.Parameters(); err != nil {
		add("%s_QUERY can't be read: it should be like name=value&other=value.", prefix)
	}
	return problems
}
