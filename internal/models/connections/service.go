package connections

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
)

// Params configures a Service. All fields are required.
type Params struct {
	Ledger  *ledger.Ledger
	Given   config.Config // the environment settings
	Vault   vault.Vault
	Network Network
	Process Process // uses what is saved
}

// Network reaches models that somebody is about to connect.
type Network interface {
	// List lists the models of a server.
	List(ctx context.Context, e config.Endpoint) ([]llm.Listed, error)
	// Probe tests connections. The zero endpoint means none.
	Probe(ctx context.Context, chat, embedder config.Endpoint) []llm.Check
	// Local returns the reason why the model on this machine can't be used; nil if it can.
	Local() error
}

// A Process uses settings and connections.
type Process interface {
	// Follow switches to the connections saved now. It is unnecessary in a process that ends after one
	// command.
	Follow(ctx context.Context) error
}

// A Service connects models.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// All returns the connections that are kept, with their keys. One whose key can't
// be read has a problem in its place.
func (s *Service) All(ctx context.Context) (Connected, error) {
	rows, err := s.Ledger.Connections(ctx)
	if err != nil {
		return nil, err
	}
	var all Connected
	for _, row := range rows {
		c := Connection{Role: Role(row.Role), Server: row.Server, Address: row.Address, Model: row.Model, PerMinute: row.PerMinute, TokensPerMinute: row.TokensPerMinute, Who: row.Who, At: row.At}
		key, err := s.Vault.Open(vault.Models, row.Sealed, c.bound()...)
		if err == nil {
			c.Key = key
			_, err = c.complete()
		}
		if err == nil && c.Server == config.Builtin {
			err = s.Network.Local()
		}
		if err != nil {
			c.Key, c.Problem = "", problem(err)
		}
		all = append(all, c)
	}
	return all, nil
}

func problem(err error) string {
	if errors.Is(err, vault.ErrSealed) {
		return "Its key can't be decrypted: the key file or SECRET_KEY is not the one it was encrypted with. Restore that one and restart, or connect the model again."
	}
	return domain.InWords(err)
}

// Save stores connections in place of those of the same roles, and makes this process use them. One without a key gets
// the key stored for the same kind of server at the same address, and no other.
func (s *Service) Save(ctx context.Context, all ...Connection) error {
	var rows []ledger.Connection
	for _, c := range all {
		c, err := s.filled(ctx, c)
		if err == nil {
			err = c.checkModel()
		}
		if err != nil {
			return err
		}
		row := ledger.Connection{Role: string(c.Role), Server: c.Server, Address: c.Address, Model: c.Model, PerMinute: c.PerMinute, TokensPerMinute: c.TokensPerMinute, Who: domain.PersonOf(ctx)}
		if row.Sealed, err = s.Vault.Seal(vault.Models, c.Key, c.bound()...); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if err := s.Ledger.SaveConnections(ctx, rows...); err != nil {
		return err
	}
	return s.Process.Follow(ctx)
}

// filled completes a connection, with the key that is kept for its address.
func (s *Service) filled(ctx context.Context, c Connection) (Connection, error) {
	c, err := c.complete()
	if err == nil && c.Server == config.Builtin {
		return c, s.Network.Local()
	}
	if err != nil || c.Key != "" || c.Server == Same {
		return c, err
	}
	kept, err := s.All(ctx)
	if err != nil {
		return c, err
	}
	for _, k := range kept {
		if k.Server == c.Server && k.Address == c.Address && k.Key != "" {
			c.Key = k.Key
		}
	}
	if of, _ := ServerOf(c.Server); of.Key == KeyRequired && c.Key == "" {
		return c, wrongf("key", "%s asks for a key. Give one: a saved key is only used at the address it was saved for.", of.Title)
	}
	return c, nil
}

// Forget deletes the connection of a role with its key, and has this process do
// without. The error is NotFound if there is none.
func (s *Service) Forget(ctx context.Context, r Role) error {
	found, err := s.Ledger.ForgetConnection(ctx, string(r))
	if err != nil {
		return err
	}
	if !found {
		return domain.Errorf(domain.NotFound, "No model is connected for %q.", r)
	}
	return s.Process.Follow(ctx)
}

// Models lists the models of the server of a connection.
func (s *Service) Models(ctx context.Context, c Connection) ([]llm.Listed, error) {
	c, err := s.filled(ctx, c)
	if err != nil {
		return nil, err
	}
	if c.Server == config.Builtin {
		return []llm.Listed{{Name: c.Model}}, nil
	}
	return s.Network.List(ctx, c.Endpoint())
}

// Test calls the models of connections and describes what works. It stores nothing.
func (s *Service) Test(ctx context.Context, all ...Connection) ([]llm.Check, error) {
	var chat, embedder config.Endpoint
	for _, c := range all {
		c, err := s.filled(ctx, c)
		if err == nil {
			err = c.checkModel()
		}
		if err != nil {
			return nil, err
		}
		switch {
		case c.Role == Embed:
			embedder = c.Endpoint()
		case c.Server == Same:
			kept, err := s.All(ctx)
			if err != nil {
				return nil, err
			}
			cfg, _ := kept.Apply(s.Given)
			chat = cfg.Model.For(c.Endpoint())
		default:
			chat = c.Endpoint()
		}
	}
	return s.Network.Probe(ctx, chat, embedder), nil
}

// Where the model of a role comes from.
const (
	FromEnvironment = "environment"
	FromPage        = "connected" // on the page or with the command
	FromAnswer      = "answer"    // same model as for Answer
	FromDefault     = "default"   // nothing was chosen, and the model on this machine is available
	FromNowhere     = "built-in"  // no model: rules of this program do the work, or nothing does
	FromOff         = "off"       // no model, and no replacement
)

// A Standing is the model that fills a role, and the reason.
type Standing struct {
	Role    Role   `json:"role"`
	From    string `json:"from"`
	Model   string `json:"model,omitempty"`
	Address string `json:"address,omitempty"`

	Missing string `json:"missing,omitempty"` // why the default can't be used

	PerMinute       int `json:"per_minute,omitempty"` // see Connection
	TokensPerMinute int `json:"tokens_per_minute,omitempty"`

	Kept   *Connection `json:"kept,omitempty"` // the connected one, without its key; not used if From says otherwise
	HasKey bool        `json:"has_key"`        // of Kept
}

// Problem describes why the model that was connected for a role is not in use, or "" if it is or there is none.
func (s Standing) Problem() string {
	switch {
	case s.Kept == nil:
		return ""
	case s.From == FromEnvironment:
		return s.Kept.Model + " is connected here, but not in use: the settings " + s.Role.Settings() + "_… of the environment go first. Remove them and start again to use it."
	case s.From == FromNowhere && s.Kept.Problem == "":
		return s.Kept.Model + " is connected, but not in use without a model for answers. Connect one."
	}
	return s.Kept.Problem
}

// Standings returns the model that fills each role.
func (s *Service) Standings(ctx context.Context) ([]Standing, error) {
	kept, err := s.All(ctx)
	if err != nil {
		return nil, err
	}
	cfg, used := kept.Apply(s.Given)
	var all []Standing
	for _, r := range Roles() {
		st := Standing{Role: r}
		e, given := r.Endpoint(cfg), r.Endpoint(s.Given)
		switch {
		case slices.Contains(used, r):
			st.From = FromPage
		case given.Given():
			st.From = FromEnvironment
		case (r == Answer || r.Shares()) && cfg.Model.Enabled():
			st.From = FromAnswer
		case r == Describe:
			st.From = FromOff
		default:
			st.From = FromNowhere
		}
		if _, chosen := kept.kept(r); r == Embed && st.From == FromNowhere && !chosen {
			if err := s.Network.Local(); err != nil {
				st.Missing = domain.InWords(err)
			} else {
				st.From, e.Provider = FromDefault, config.Builtin
			}
		}
		if r != Answer && r != Embed && st.From != FromNowhere && st.From != FromOff {
			e = cfg.Model.For(e)
		}
		st.Model, st.Address = e.Name, shown(e.BaseURL)
		if of, ok := ServerOf(e.Provider); ok && of.Only != "" {
			st.Model = of.Only
		}
		st.PerMinute, st.TokensPerMinute = e.PerMinute, e.TokensPerMinute
		if c, ok := kept.kept(r); ok {
			st.HasKey = c.Key != ""
			c.Key = ""
			st.Kept = &c
		}
		all = append(all, st)
	}
	return all, nil
}

// shown returns an address without what must not be shown.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
