package langchain

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// The providers, that is, the protocols.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Config says how to reach one model. Provider and Model are required.
type Config struct {
	Provider string        // OpenAI or Anthropic
	BaseURL  string        // with its version path, for instance http://127.0.0.1:11434/v1; the provider's own when empty
	Key      string        // may be empty
	Model    string        // as the server knows it
	Timeout  time.Duration // of one call; 2 minutes when zero
	Settings string        // how the settings that an error may name begin; "LLM" when empty

	Headers map[string]string // sent with each request
	Query   map[string]string // added to the address
	Fields  map[string]any    // merged into each request's JSON; a nil value takes a field out

	MaxAnswer int64             // bytes of an answer; 32 MiB when zero
	Batch     int               // texts in one embedding request; 32 when zero
	Transport http.RoundTripper // Transport() when nil
	Now       func() time.Time  // time.Now when nil; reads a Retry-After that is a date
}

// Transport makes the connections that models are reached over when a Config
// names none: certificates are checked, TLS is 1.2 at least, the proxy
// settings of the environment hold.
func Transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSHandshakeTimeout = 10 * time.Second
	t.MaxIdleConnsPerHost = 16
	return t
}

// withDefaults fills the zero values and checks what was given.
func (c Config) withDefaults() (Config, error) {
	if c.Settings == "" {
		c.Settings = "LLM"
	}
	if c.Model == "" {
		return c, domain.Errorf(domain.Invalid, "%s_MODEL is empty: name the model.", c.Settings)
	}
	if c.BaseURL == "" {
		c.BaseURL = ownAddress[c.Provider]
	}
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return c, domain.Errorf(domain.Invalid, "%s_BASE_URL is not an address: it should look like http://127.0.0.1:11434/v1.", c.Settings)
	}
	c.BaseURL = base
	if c.Timeout == 0 {
		c.Timeout = 2 * time.Minute
	}
	if c.MaxAnswer == 0 {
		c.MaxAnswer = 32 << 20
	}
	if c.Batch == 0 {
		c.Batch = 32
	}
	if c.Transport == nil {
		c.Transport = Transport()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

// ownAddress is where each provider's own models are served.
var ownAddress = map[string]string{
	OpenAI:    "https://api.openai.com/v1",
	Anthropic: "https://api.anthropic.com/v1",
}

// baseURL tidies an address: people paste that of an endpoint too.
func baseURL(s string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return "", err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", domain.Errorf(domain.Invalid, "not an address of a server")
	}
	path := strings.TrimRight(u.Path, "/")
	for _, endpoint := range []string{"/chat/completions", "/embeddings", "/messages"} {
		path = strings.TrimSuffix(path, endpoint)
	}
	u.Path = path
	return u.String(), nil
}

// shown is an address as it may be printed: without a name, password or query.
func shown(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "the model's server"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
