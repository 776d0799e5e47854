package config

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestARoleTakesOverWhatItLeavesEmpty: and nothing that was meant for another
// server.
func TestARoleTakesOverWhatItLeavesEmpty(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{
		"LLM_PROVIDER=openai", "LLM_BASE_URL=https://one/v1", "LLM_API_KEY=one-key", "LLM_MODEL=large", "LLM_HEADERS=X-One: 1", "LLM_QUERY=one=1",
		"LLM_PER_MINUTE=60", "LLM_TOKENS_PER_MINUTE=9000", "GRADE_MODEL=small", "GRADE_PER_MINUTE=5", "REWRITE_HEADERS=X-Two: 2", "EXTRACT_BASE_URL=https://two/v1", "EXTRACT_QUERY=two=2", "SUMMARY_PROVIDER=anthropic", "SUMMARY_API_KEY=two-key", "LLM_MODEL_SUMMARY=older",
	})
	if err != nil {
		t.Fatal(err)
	}
	one := c.Model.Endpoint
	for name, tt := range map[string]struct{ role, want Endpoint }{
		"none":          {Endpoint{}, one},
		"another model": {c.Model.Grade, Endpoint{Provider: "openai", BaseURL: "https://one/v1", Key: "one-key", Name: "small", Headers: "X-One: 1", Query: "one=1", PerMinute: 5, TokensPerMinute: 9000}},
		"headers":       {c.Model.Rewrite, Endpoint{Provider: "openai", BaseURL: "https://one/v1", Key: "one-key", Name: "large", Headers: "X-Two: 2", Query: "one=1", PerMinute: 60, TokensPerMinute: 9000}},
		"an address":    {c.Model.Extract, Endpoint{Provider: "openai", BaseURL: "https://two/v1", Name: "large", Query: "two=2"}},
		"a provider":    {c.Model.Summary, Endpoint{Provider: "anthropic", Key: "two-key", Name: "older"}},
	} {
		if diff := cmp.Diff(tt.want, c.Model.For(tt.role)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHeadersAndParametersAreRead(t *testing.T) {
	t.Parallel()
	e := Endpoint{Headers: " api-key: a b:c ;X-Team:archive; ", Query: "?api-version=2024-10-21&x=1%202"}
	headers, ok := e.HeaderMap()
	if want := map[string]string{"api-key": "a b:c", "X-Team": "archive"}; !ok || !maps.Equal(headers, want) {
		t.Errorf("headers %q, %t", headers, ok)
	}
	if query, err := e.Parameters(); err != nil || query.Encode() != "api-version=2024-10-21&x=1+2" {
		t.Errorf("parameters %v, %v", query, err)
	}
}

// TestHeadersAndParametersAreSecret: they are where gateways want their keys.
func TestHeadersAndParametersAreSecret(t *testing.T) {
	t.Parallel()
	environ := []string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "LLM_HEADERS=api-key: Bearer hunter2222; X-Title: Clew", "EMBED_PROVIDER=openai", "EMBED_MODEL=e", "EMBED_QUERY=key=hunter%2F333&v=1"}
	c, err := Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Settings() {
		if strings.Contains(s.Value, "hunter") {
			t.Errorf("%s is shown as %q", s.Key, s.Value)
		}
	}
	masked := map[string]bool{}
	for _, s := range c.Secrets() {
		masked[s] = true
	}
	for secret, want := range map[string]bool{"hunter2222": true, "hunter%2F333": true, "hunter/333": true, "Clew": false, "1": false, "v": false} {
		if masked[secret] != want {
			t.Errorf("%q is a secret: %t, want %t", secret, masked[secret], want)
		}
	}
	_, err = Load(append(environ, "LLM_HEADERS=hunter2222"))
	if err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("the error is %v", err)
	}
}

func TestARateThatIsNoNumberIsNamed(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"EXTRACT_TOKENS_PER_MINUTE=lots": `EXTRACT_TOKENS_PER_MINUTE is "lots", but should be a whole number.`,
		"LLM_PER_MINUTE=-1":              "LLM_PER_MINUTE and LLM_TOKENS_PER_MINUTE should be 0 or more.",
	} {
		_, err := Load([]string{"LLM_PROVIDER=openai", "LLM_MODEL=m", setting})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", setting, err, want)
		}
	}
	if c, err := Load([]string{"LLM_PER_MINUTE=60"}); err != nil || c.Model.Given() {
		t.Errorf("a rate alone configures a model: %v", err)
	}
}
