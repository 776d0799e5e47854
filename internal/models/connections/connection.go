// Package connections keeps the models that an owner connects on the page or with a command: one for
// each role, for the whole installation. Keys are encrypted in the ledger and never shown. Environment
// settings override the connections kept here.
package connections

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Connection is a model and how to reach it, for a role.
type Connection struct {
	Role    Role   `json:"role"`
	Server  string `json:"server"`            // kind of server, or Same
	Address string `json:"address,omitempty"` // "" for Same
	Model   string `json:"model"`
	Key     string `json:"-"` // "" sends none; in a person's input, "" means the key kept for the address

	PerMinute       int `json:"per_minute,omitempty"`        // calls that the server allows; 0 for no limit
	TokensPerMinute int `json:"tokens_per_minute,omitempty"` // sent and received

	Who     string    `json:"who,omitempty"` // who saved it
	At      time.Time `json:"at"`
	Problem string    `json:"problem,omitempty"` // why it can't be used
}

// A fieldError is about one field of a form.
type fieldError struct {
	field string
	error
}

func (e fieldError) Unwrap() error { return e.error }

// FieldOf returns the field that an error of Save or Test is about: "address", "key", "model" or "rate", or "" if it is
// about none.
func FieldOf(err error) string {
	e, _ := errors.AsType[fieldError](err)
	return e.field
}

// wrongf makes an Invalid error about a field.
func wrongf(field, format string, args ...any) error {
	return fieldError{field, domain.Errorf(domain.Invalid, format, args...)}
}

// complete fills in what a person may leave out, and checks the rest.
func (c Connection) complete() (Connection, error) {
	c.Address, c.Model, c.Key = strings.TrimSpace(c.Address), strings.TrimSpace(c.Model), strings.TrimSpace(c.Key)
	if !slices.Contains(Roles(), c.Role) {
		return c, domain.Errorf(domain.Invalid, "There is no role %q. Choose answer, extract, grade, rewrite, summary, describe or embed.", c.Role)
	}
	if c.PerMinute < 0 || c.TokensPerMinute < 0 || max(c.PerMinute, c.TokensPerMinute) > maxRate {
		return c, wrongf("rate", "Calls and tokens per minute should be between 0, for no limit, and %d.", maxRate)
	}
	switch {
	case c.Server == Same && c.Role != Answer && c.Role != Embed:
		c.Address, c.Key = "", ""
		return c, c.checkModel()
	case c.Role == Embed && c.Server == "anthropic":
		return c, domain.Errorf(domain.Invalid, "Anthropic has no embedding models. Connect one from another server.")
	}
	s, ok := ServerOf(c.Server)
	if !ok {
		return c, domain.Errorf(domain.Invalid, "There is no kind of server %q. Choose %s.", c.Server, names())
	}
	if s.Only != "" {
		if !s.Serves(c.Role) {
			return c, domain.Errorf(domain.Invalid, "The model on this machine only makes vectors. It can only be connected for embed.")
		}
		return Connection{Role: c.Role, Server: c.Server, Model: s.Only, Who: c.Who, At: c.At}, nil
	}
	c.Address = cmp.Or(c.Address, s.Address)
	if s.Key == KeyNone {
		c.Key = ""
	}
	if err := c.checkAddress(); err != nil {
		return c, err
	}
	return c, c.checkKey()
}

func names() string {
	all := lists.Map(Servers(), func(s Server) string { return s.Name })
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// The maximum number of characters in the fields that a person fills in.
const (
	maxAddress = 500
	maxModel   = 200
	maxKey     = 4000
)

// maxRate is the most calls or tokens a minute that can be set.
const maxRate = 1_000_000_000

func (c Connection) checkModel() error {
	if c.Model == "" {
		return wrongf("model", "Name the model. The list of models shows what the server has.")
	}
	if len(c.Model) > maxModel || strings.ContainsFunc(c.Model, unicode.IsControl) {
		return wrongf("model", "The name of the model can't be right: it is longer than %d characters or has a control character.", maxModel)
	}
	return nil
}

// checkAddress refuses an address that may hold a secret: it is shown and stored as
// it is.
func (c Connection) checkAddress() error {
	if c.Address == "" {
		return wrongf("address", "Give the address of the server.")
	}
	u, err := url.Parse(c.Address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(c.Address) > maxAddress:
		return wrongf("address", "The address should look like http://127.0.0.1:11434/v1.")
	case u.User != nil:
		return wrongf("address", "The address contains a name or a password, which would be shown. Give the key in its own field.")
	case u.Fragment != "":
		return wrongf("address", "The address has a fragment after #. Leave it out.")
	}
	for name := range u.Query() {
		if name != "api-version" {
			return wrongf("address", "The address has the parameter %s, which may be a key and would be shown. Give the key in its own field; for other parameters use the setting %s_QUERY.", name, c.Role.Settings())
		}
	}
	return nil
}

func (c Connection) checkKey() error {
	if len(c.Key) > maxKey || strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' || r == ';' }) {
		return wrongf("key", "The key can't be right: it contains a space, a line break or an unusual character, or is longer than %d characters. Copy it again.", maxKey)
	}
	return nil
}

// Endpoint returns the connection as the settings have it.
func (c Connection) Endpoint() config.Endpoint {
	s, ok := ServerOf(c.Server)
	if !ok {
		return config.Endpoint{Name: c.Model, PerMinute: c.PerMinute, TokensPerMinute: c.TokensPerMinute}
	}
	if s.Only != "" {
		return config.Endpoint{Provider: s.Provider}
	}
	e := config.Endpoint{Provider: s.Provider, BaseURL: c.Address, Key: c.Key, Name: c.Model, PerMinute: c.PerMinute, TokensPerMinute: c.TokensPerMinute}
	if s.Header != "" && c.Key != "" {
		e.Key, e.Headers = "", s.Header+": "+c.Key
	}
	return e
}

// bound names what a key belongs to: whoever changes the address in the database can't have the key sent there.
func (c Connection) bound() []string { return []string{string(c.Role), c.Server, c.Address} }

// Connected are the models that were connected, one connection for each role.
type Connected []Connection

// kept returns the connection of a role, which may have a problem.
func (all Connected) kept(r Role) (Connection, bool) {
	i := slices.IndexFunc(all, func(c Connection) bool { return c.Role == r })
	if i < 0 {
		return Connection{}, false
	}
	return all[i], true
}

// of returns the connection of a role that can be used.
func (all Connected) of(r Role) (Connection, bool) {
	c, ok := all.kept(r)
	return c, ok && c.Problem == ""
}

// Apply returns the settings with the connected models where the settings name
// none, and the roles whose model is connected.
func (all Connected) Apply(given config.Config) (config.Config, []Role) {
	var used []Role
	put := func(r Role, to *config.Endpoint) {
		if c, ok := all.of(r); ok && !to.Given() {
			e := c.Endpoint()
			e.PerMinute, e.TokensPerMinute = cmp.Or(to.PerMinute, e.PerMinute), cmp.Or(to.TokensPerMinute, e.TokensPerMinute)
			*to, used = e, append(used, r)
		}
	}
	cfg := given
	m := &cfg.Model
	put(Answer, &m.Endpoint)
	if m.Enabled() {
		put(Extract, &m.Extract)
		put(Grade, &m.Grade)
		put(Rewrite, &m.Rewrite)
		put(Summary, &m.Summary)
		put(Describe, &m.Describe)
	}
	put(Embed, &cfg.Embed)
	return cfg, used
}

// Endpoint returns the settings of a role.
func (r Role) Endpoint(cfg config.Config) config.Endpoint {
	switch r {
	case Answer:
		return cfg.Model.Endpoint
	case Extract:
		return cfg.Model.Extract
	case Grade:
		return cfg.Model.Grade
	case Rewrite:
		return cfg.Model.Rewrite
	case Summary:
		return cfg.Model.Summary
	case Describe:
		return cfg.Model.Describe
	}
	return cfg.Embed
}
