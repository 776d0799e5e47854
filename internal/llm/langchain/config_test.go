package langchain

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/llm"
)

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://localhost:11434/v1/": "http://localhost:11434/v1", " https://h/v1/chat/completions": "https://h/v1",
		"https://h/openai/v1?api-version=1": "https://h/openai/v1?api-version=1", "http://h": "http://h",
		"h:80": "", "ftp://h": "", "": "", "http://": "",
	} {
		got, ok := baseURL(given)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("baseURL(%q) = %s, %t; want %q", given, got, ok, want)
		}
	}
}
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second}, {"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After-Ms", "120", 120 * time.Millisecond},
		{"Retry-After", "Thu, 01 Jan 2026 00:01:00 GMT", time.Minute}, {"Retry-After", "Wed, 31 Dec 2025 00:01:00 GMT", 0},
		{"Retry-After", "soon", 0}, {"Retry-After", "-3", 0}, {"Retry-After", "1e300", 0}, {"Retry-After", "NaN", 0},
	} {
		h := http.Header{}
		h.Set(tt.name, tt.value)
		if got := retryAfter(h, now); got != tt.want {
			t.Errorf("%s: %s = %s, want %s", tt.name, tt.value, got, tt.want)
		}
	}
}

// TestAddressesAreShownWithoutNamesAndPasswords quotes the address in every way
// that a cause may.
func TestAddressesAreShownWithoutNamesAndPasswords(t *testing.T) {
	t.Parallel()
	c, err := Config{Provider: OpenAI, BaseURL: "http://ada:hunter%2F22@h/v1?key=k77", Model: "m"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range []error{
		&url.Error{Op: "Post", URL: c.BaseURL, Err: errors.New("proxy http://ada:hunter%2F22@h refused")},
		errors.New(`parse "` + c.BaseURL + `": invalid`), errors.New("user hunter/22 unknown"),
	} {
		for _, err := range []error{c.notBuilt(cause), c.unreachable(cause), c.tooSlow(true), c.broken(cause), c.misread(cause)} {
			for _, said := range []string{err.Error(), llm.InWords(err)} {
				if strings.Contains(said, "hunter") || strings.Contains(said, "ada:") {
					t.Errorf("it says %q", said)
				}
			}
		}
	}
}

// TestWhatAServerSaysIsShownWithoutPlaces: what remains says what failed.
func TestWhatAServerSaysIsShownWithoutPlaces(t *testing.T) {
	t.Parallel()
	c, err := Config{Provider: OpenAI, BaseURL: "http://gpu_box:8431/secret/v1", Model: "m"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"POST http://gpu_box:8431/secret/v1/chat/completions failed": "POST … failed",
		"dial tcp 10.20.30.40:8431: connection refused":              "dial tcp …: connection refused",
		"no route to GPU_BOX":                          "no route to …",
		"upstream rack-7:9000 is busy":                 "upstream … is busy",
		"upstream rack-7.corp.lan is busy":             "upstream … is busy",
		"bound to [fe80::1%eth0]:80":                   "bound to …",
		"bound to fd00:1:2::7":                         "bound to …",
		"open /srv/models/tiny.gguf: no such file":     "open …: no such file",
		`open "C:\models\tiny.gguf": no such file`:     `open "…": no such file`,
		"route (/secret/v1/chat) is unknown":           "route (…) is unknown",
		"got Authorization: Bearer abc.def":            "got …",
		"model 'llama3.1:8b' not found, try and/or v1": "model 'llama3.1:8b' not found, try and/or v1",
		"maximum context length is 4096 tokens":        "maximum context length is 4096 tokens",
		"messages.0.content: too long":                 "messages.0.content: too long",
	} {
		if got := c.hide(said); got != want {
			t.Errorf("%q is shown as %q, want %q", said, got, want)
		}
	}
}
