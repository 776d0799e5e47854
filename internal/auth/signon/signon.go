// Package signon admits people vouched for by others: a provider of OpenID Connect, or a trusted
// proxy. The roles that their groups give them are updated each time.
package signon

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Params configure a Service. All are required but Public.
type Params struct {
	Ledger *ledger.Ledger
	Auth   *auth.Auth
	Set    config.SignOn
	Public string    // address of the pages, from the settings; may be ""
	Random io.Reader // for values that identify a sign-on
	Now    domain.Clock
	Log    *slog.Logger
}

// A Service signs people on.
type Service struct {
	Params

	rules    []config.GroupRule
	provider *provider // nil without OIDC_ISSUER
	named    *named    // people recently named by the proxy
}

// New returns a Service for settings that are valid. It asks nobody.
func New(p Params) *Service {
	s := &Service{Params: p, named: &named{now: p.Now}}
	s.rules, _ = p.Set.Rules() // checked with the settings
	if p.Set.Issuer != "" {
		s.provider = newProvider(p.Set, p.Now)
	}
	return s
}

// With returns s for another Auth, keeping its knowledge of the provider.
func (s *Service) With(a *auth.Auth) *Service {
	next := *s
	next.Auth = a
	return &next
}

// Provider returns what people call the provider, or "" if there is none.
func (s *Service) Provider() string {
	if s.provider == nil {
		return ""
	}
	return s.Set.Name
}

// granted returns the roles that groups give. Rules for workspaces that don't exist give nothing.
func (s *Service) granted(ctx context.Context, groups []string) (ledger.Granted, error) {
	g := ledger.Granted{Roles: map[domain.WorkspaceID]domain.Role{}}
	all, err := s.Ledger.Workspaces(ctx)
	if err != nil {
		return g, err
	}
	for _, r := range s.rules {
		switch {
		case r.Group != config.Everybody && !slices.Contains(groups, r.Group):
			continue
		case r.Role == domain.Owner:
			g.Owner = true
			continue
		}
		for _, w := range all {
			if (r.Workspace == config.Everywhere || r.Workspace == w.Name) && w.DeleteAt.IsZero() && !g.Roles[w.ID].Includes(r.Role) {
				g.Roles[w.ID] = r.Role
			}
		}
	}
	return g, nil
}

// A person is somebody identified by a provider or proxy.
type person struct {
	issuer, subject, called, name string
	groups                        []string
	grouped                       bool   // groups are known, and replace those of the account
	claims                        string // names of the provider's claims, for the log
}

// signOn finds or makes the account of a person. The error is of kind Forbidden if the person may do nothing here.
func (s *Service) signOn(ctx context.Context, p person) (account string, err error) {
	g, err := s.granted(ctx, p.groups)
	if err != nil {
		return "", err
	}
	if p.grouped {
		g.Groups = append([]string{}, p.groups...)
	}
	done, err := s.Ledger.SignOn(ctx, ledger.SignOn{Granted: g, Issuer: p.issuer, Subject: p.subject, Called: p.called, Name: accountName(p)})
	if err != nil {
		return "", err
	}
	if done.Made {
		s.Log.InfoContext(ctx, "account added", "account", done.Account, "by", "sign-on")
		s.record(ctx, "user add", bySignOn, done.Account)
	}
	if done.Lost {
		s.Log.InfoContext(ctx, "role changed", "account", done.Account, "by", "sign-on")
		s.record(ctx, auth.RoleChange.Name, bySignOn, done.Account)
	}
	if !done.Enters {
		s.Log.WarnContext(ctx, "sign-on refused: no group of the person has a role here", "account", done.Account, "groups", len(p.groups))
		return "", domain.Errorf(domain.Forbidden, "You are signed in as %s, but nothing here is open to your groups. Ask an owner of this installation for access.", p.called)
	}
	return done.Account, nil
}

// bySignOn is who does in the trail what follows from a sign-on.
const bySignOn = "sign-on"

func (s *Service) record(ctx context.Context, action, by, account string) {
	s.Auth.Trail.Record(ctx, audit.Entry{Action: action, Person: by, Things: []string{account}, Installation: true})
}

// Limits on the values that a provider or proxy sends.
const (
	maxCalled    = 200 // bytes of a person's display name, and of the name of a group
	maxSubject   = 255
	maxGroups    = 500
	maxNameBytes = auth.MaxName - 5 // leaves room for a number
)

// accountName returns the name of an account for a person.
func accountName(p person) string {
	for _, name := range []string{p.name, p.called, p.subject} {
		name = strings.ToLower(line(name))
		name = strings.ToValidUTF8(name[:min(len(name), maxNameBytes)], "")
		if strings.Trim(name, ". ") != "" {
			return strings.TrimSpace(name)
		}
	}
	return "somebody"
}

// line returns text without control characters and with single spaces.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || !unicode.IsPrint(r) }), " ")
}

// groupNames returns the names of groups that are not too long, each once, in order.
func groupNames(names []string) []string {
	all := []string{}
	for _, name := range names {
		if name = config.GroupName(line(name)); name != "" && len(name) <= maxCalled {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxGroups)]
}

// Link has a person sign in to an account by the word of a provider. Where the issuer is "", it is the one of the settings.
func (s *Service) Link(ctx context.Context, account, subject, issuer string) error {
	issuer = cmp.Or(issuer, s.Set.Issuer)
	switch {
	case issuer == "":
		return domain.Errorf(domain.Invalid, "No sign-on provider is configured: set OIDC_ISSUER, or name a provider.")
	case line(subject) != subject || subject == "" || len(subject) > maxSubject:
		return domain.Errorf(domain.Invalid, "A person has a subject at the provider, of 1 to %d characters.", maxSubject)
	}
	if err := s.Ledger.Link(ctx, issuer, subject, subject, account); err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "account linked to sign-on", "account", account, "by", domain.PersonOf(ctx))
	return nil
}

// Unlink ends sign-on for an account, and takes back the roles that it gave.
func (s *Service) Unlink(ctx context.Context, account string) error {
	if err := s.Ledger.Unlink(ctx, account, ""); err != nil {
		return err
	}
	s.named.forget()
	s.Log.InfoContext(ctx, "account unlinked from sign-on", "account", account, "by", domain.PersonOf(ctx))
	return nil
}

// UnlinkMine is Unlink for one's own account. Without a password nobody could sign in to it.
func (s *Service) UnlinkMine(ctx context.Context, account string) error {
	a, err := s.Ledger.Account(ctx, account)
	if err != nil {
		return err
	}
	if a.PasswordHash == "" {
		return domain.Errorf(domain.Conflict, "Your account has no password, so nobody could sign in to it. Ask an owner to set one first.")
	}
	if err := s.Unlink(ctx, account); err != nil {
		return err
	}
	s.record(ctx, Unlinking.Name, account, account)
	return nil
}

// trusted stands for the issuer of people named by a proxy.
const trusted = "proxy"

// FromProxy returns the session of the person whom the proxy names in the headers of its request, and reports whether
// it names one. The session lasts as long as the request. Headers from anyone but a trusted proxy are ignored.
func (s *Service) FromProxy(ctx context.Context, believed bool, h http.Header) (ledger.Session, bool, error) {
	if s.Set.ProxyUser == "" {
		return ledger.Session{}, false, nil
	}
	values := h.Values(s.Set.ProxyUser)
	if len(values) == 0 {
		return ledger.Session{}, false, nil
	}
	if !believed {
		if s.named.warns() {
			s.Log.WarnContext(ctx, "ignored a header that names a person: it does not come from TRUSTED_PROXIES", "header", s.Set.ProxyUser)
		}
		return ledger.Session{}, false, nil
	}
	user := strings.TrimSpace(values[0])
	switch {
	case len(values) > 1, line(user) != user, len(user) > maxSubject:
		return ledger.Session{}, false, domain.Errorf(domain.Unauthorized, "The proxy did not say plainly who you are. It has to send %s once, and remove it from what people send.", s.Set.ProxyUser)
	case user == "":
		return ledger.Session{}, false, nil
	}
	p := person{issuer: trusted, subject: user, called: user, grouped: s.Set.ProxyGroups != ""}
	if p.grouped {
		p.groups = groupNames(strings.FieldsFunc(strings.Join(h.Values(s.Set.ProxyGroups), ","), func(r rune) bool { return r == ',' || r == '|' }))
	}
	account, err := s.named.account(p, func() (string, error) { return s.signOn(ctx, p) })
	if err != nil {
		return ledger.Session{}, false, err
	}
	a, err := s.Auth.Account(ctx, account)
	if domain.KindOf(err) == domain.NotFound { // removed in the meantime
		s.named.forget()
	}
	return ledger.Session{ID: trusted + ":" + account, Account: a.Name, Role: a.Role, Language: a.Language, Issuer: trusted}, err == nil, err
}
