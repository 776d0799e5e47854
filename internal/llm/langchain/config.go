package langchain

import (
	"cmp"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// The providers name the protocols.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Config configures one model. Provider and Model are required.
type Config struct {
	Provider string        // OpenAI or Anthropic
	BaseURL  string        // with its version path, such as http://127.0.0.1:11434/v1; the provider's own when empty
	Key      string        // "" sends none
	Model    string        // as the server knows it
	Timeout  time.Duration // of one call; 2 minutes when zero
	Settings string        // prefix of the settings named in errors; "LLM", or "EMBED" of an embedder, when empty
	Page     bool          // it was connected in the page: errors name what is filled in there, not settings

	Headers map[string]string // sent with each call, in place of those of the same name
	Query   url.Values        // added to each address

	MaxAnswer int64        // bytes of an answer; 32 MiB when zero
	Batch     int          // texts in one embedding request; 32 when zero
	Now       domain.Clock // reads a Retry-After that is a date; time.Now when nil
}

// withDefaults fills the zero values and checks the others. An Invalid error
// names the setting to mend.
func (c Config) withDefaults() (Config, error) {
	c.Settings = cmp.Or(c.Settings, "LLM")
	if c.Model == "" {
		return c, domain.Errorf(domain.Invalid, "%s is empty: name the model.", c.setting("MODEL"))
	}
	base, ok := baseURL(cmp.Or(c.BaseURL, defaultURL[c.Provider]))
	if !ok {
		return c, domain.Errorf(domain.Invalid, "%s is not an address: it should look like http://127.0.0.1:11434/v1.", c.setting("BASE_URL"))
	}
	query := base.Query()
	maps.Copy(query, c.Query)
	base.RawQuery = ""
	c.BaseURL, c.Query = base.String(), query
	c.Timeout = cmp.Or(c.Timeout, 2*time.Minute)
	c.MaxAnswer = cmp.Or(c.MaxAnswer, 32<<20)
	c.Batch = cmp.Or(c.Batch, 32)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

var defaultURL = map[string]string{
	OpenAI:    "https://api.openai.com/v1",
	Anthropic: "https://api.anthropic.com/v1",
}

// baseURL removes the path of an endpoint, which people paste too, and reports
// whether s is an address.
func baseURL(s string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, false
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, endpoint := range []string{"/chat/completions", "/embeddings", "/messages"} {
		u.Path = strings.TrimSuffix(u.Path, endpoint)
	}
	return u, true
}

// setting names what a person gave, in the words of where it was given.
func (c Config) setting(name string) string {
	if !c.Page {
		return c.Settings + "_" + name
	}
	switch name {
	case "BASE_URL":
		return "the address"
	case "API_KEY", "HEADERS":
		return "the key"
	case "MODEL":
		return "the name of the model"
	case "PER_MINUTE":
		return "the field Calls per minute"
	}
	return "the kind of server"
}

// address returns the base URL without what must not be shown: the name, the
// password and the query.
func (c Config) address() string {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return "the model's server"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
