package auth

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/lang"
)

// The lengths of names and passwords in bytes. Without an upper limit an
// attacker could have megabytes hashed.
const (
	MaxName     = 100
	MinPassword = 10
	MaxPassword = 1024
)

// Params configure an Auth. All are required but Codes and SignOn.
type Params struct {
	Ledger   *ledger.Ledger
	Hasher   *Hasher
	Random   io.Reader     // for tokens
	Vault    vault.Vault   // for the secrets of codes
	Site     string        // address of the pages, such as https://clew.example.org, for links
	Lifetime time.Duration // of a session
	Codes    bool          // signing in with a password requires a code
	SignOn   bool          // people can sign on, which creates their accounts
	Now      domain.Clock
	Log      *slog.Logger
	Trail    *audit.Trail
}

// Auth manages accounts and their sessions.
type Auth struct {
	Params

	decoy  string // a hash that matches no password
	limits *limiter
	misses *limiter // limits the log lines
}

// New returns an Auth.
func New(p Params) (*Auth, error) {
	decoy, err := p.Hasher.decoy()
	if err != nil {
		return nil, err
	}
	return &Auth{Params: p, decoy: decoy, limits: newLimiter(p.Now), misses: newLimiter(p.Now)}, nil
}

// With returns a with other settings for sessions that begin. What it has counted of failed
// sign-ins is shared.
func (a *Auth) With(lifetime time.Duration, codes bool) *Auth {
	next := *a
	next.Lifetime, next.Codes = lifetime, codes
	return &next
}

// Required reports whether people have to sign in, because there is an account or can be one by sign-on.
func (a *Auth) Required(ctx context.Context) (bool, error) {
	if a.SignOn {
		return true, nil
	}
	n, err := a.Ledger.CountAccounts(ctx)
	return n > 0, err
}

// Accounts lists the accounts by name, with their roles in the workspace of ctx.
func (a *Auth) Accounts(ctx context.Context) ([]ledger.Account, error) {
	return a.Ledger.Accounts(ctx, domain.WorkspaceOf(ctx))
}

// Account returns an account with its role in the workspace of ctx, or an error of kind NotFound.
func (a *Auth) Account(ctx context.Context, name string) (ledger.Account, error) {
	return a.Ledger.AccountIn(ctx, domain.WorkspaceOf(ctx), normal(name))
}

// Add creates an account with a role in the workspace of ctx. Without a role the first one becomes an owner and a later one
// a contributor. by is who adds it, for the log.
func (a *Auth) Add(ctx context.Context, by, name, password string, role domain.Role) error {
	name = normal(name)
	switch err := checkName(name); {
	case err != nil:
		return err
	case role != "" && !known(role):
		return unknownRole(role)
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return err
	}
	if err := a.Ledger.AddAccount(ctx, domain.WorkspaceOf(ctx), name, hash, role); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "account added", "account", name, "by", by)
	return nil
}

func checkName(name string) error {
	if len(name) > MaxName || strings.Trim(name, ".") == "" || strings.ContainsAny(name, "\x00\r\n\t") {
		return domain.Errorf(domain.Invalid, "An account needs a name of 1 to %d characters on one line, not only of dots.", MaxName)
	}
	return nil
}

// First creates an owner if there are no accounts. Without a password it does nothing.
func (a *Auth) First(ctx context.Context, name, password string) error {
	n, err := a.Ledger.CountAccounts(ctx)
	if err != nil || n > 0 || password == "" {
		return err
	}
	err = a.Add(ctx, "settings", name, password, domain.Owner)
	if domain.KindOf(err) == domain.Conflict { // another process was faster
		return nil
	}
	if err == nil {
		a.Trail.Record(ctx, audit.Entry{Action: "user add", Person: "settings", Things: []string{normal(name)}})
	}
	return err
}

// SetPassword changes an account's password, which ends its sessions.
func (a *Auth) SetPassword(ctx context.Context, by, name, password string) error {
	name = normal(name)
	if _, err := a.Ledger.Account(ctx, name); err != nil {
		return err
	}
	return a.setPassword(ctx, by, name, password, "")
}

// ChangePassword changes the password of a session's account, which ends the
// account's other sessions. The error is of kind Unauthorized if current is not
// the password.
func (a *Auth) ChangePassword(ctx context.Context, s ledger.Session, current, password string) error {
	if len(current) > MaxPassword {
		return wrongPassword()
	}
	_, err := a.verify(ctx, s.Account, current, []claim{{keyOf("session", s.ID), perPair}})
	if err != nil {
		a.record(ctx, audit.Password, s.Account, err)
	}
	switch {
	case domain.KindOf(err) == domain.Unauthorized:
		return wrongPassword()
	case err != nil:
		return err
	}
	err = a.setPassword(ctx, s.Account, s.Account, password, s.ID)
	a.record(ctx, audit.Password, s.Account, err)
	return err
}

// record records what an account did for itself in the trail, and how.
func (a *Auth) record(ctx context.Context, action, account string, err error, how ...string) {
	a.Trail.Record(ctx, audit.Entry{Action: action, Person: account, Things: []string{account}, How: how, Err: err, Installation: true})
}

func wrongPassword() error {
	return domain.Errorf(domain.Unauthorized, "The current password is wrong. Nothing was changed.")
}

func (a *Auth) setPassword(ctx context.Context, by, name, password, keep string) error {
	hash, err := a.hash(ctx, password)
	if err != nil {
		return err
	}
	if err := a.Ledger.SetPassword(ctx, name, hash, keep); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "password changed", "account", name, "by", by)
	return nil
}

// hash checks the length of a password and hashes it.
func (a *Auth) hash(ctx context.Context, password string) (string, error) {
	switch {
	case len(password) < MinPassword:
		return "", domain.Errorf(domain.Invalid, "The password is too short: use at least %d characters.", MinPassword)
	case len(password) > MaxPassword:
		return "", domain.Errorf(domain.Invalid, "The password is too long: use at most %d characters.", MaxPassword)
	}
	return a.Hasher.Hash(ctx, password)
}

// SetRole changes what an account may do in the workspace of ctx, at once, or makes it an owner. The error is Conflict when
// no owner would be left.
func (a *Auth) SetRole(ctx context.Context, by, name string, role domain.Role) error {
	name = normal(name)
	if !known(role) {
		if _, err := a.Ledger.Account(ctx, name); err != nil {
			return err
		}
		return unknownRole(role)
	}
	if err := a.Ledger.SetRole(ctx, domain.WorkspaceOf(ctx), name, role); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "role changed", "account", name, "role", role, "by", by)
	return nil
}

// SetLanguage sets the language of the pages for an account, by its code or as "browser".
func (a *Auth) SetLanguage(ctx context.Context, name, code string) error {
	if err := a.Speaks(code); err != nil {
		return err
	}
	if code == "browser" {
		code = ""
	}
	return a.Ledger.SetLanguage(ctx, normal(name), code)
}

// Speaks checks the code of a language for pages. "browser" is valid too. The error is Invalid.
func (a *Auth) Speaks(code string) error {
	if code != "browser" && lang.Suits(code, "").Code != code {
		return domain.Errorf(domain.Invalid, "There are no pages in “%s”. Choose one of %s, or browser.", domain.Cut(code, 40), lang.Codes())
	}
	return nil
}

// known reports whether an account can have a role.
func known(role domain.Role) bool {
	return role == domain.Owner || slices.Contains(domain.Roles(), role)
}

func unknownRole(role domain.Role) error {
	return domain.Errorf(domain.Invalid, "There is no role %q. Choose reader, contributor, curator, admin or owner.", role)
}

// Remove removes an account and ends its sessions. The error is Conflict when no
// owner would be left.
func (a *Auth) Remove(ctx context.Context, by, name string) error {
	name = normal(name)
	if err := a.Ledger.RemoveAccount(ctx, name); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "account removed", "account", name, "by", by)
	return nil
}

func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
