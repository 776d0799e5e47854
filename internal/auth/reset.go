package auth

import (
	"context"
	"net/netip"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// resetFor is how long a link that resets a password works.
const resetFor = 24 * time.Hour

// NewReset is a link that resets a password. It is shown here and never again.
type NewReset struct {
	Name    string    `json:"name"`
	Expires time.Time `json:"expires"`
	Secret  string    `json:"secret"`
	Link    string    `json:"link"`
}

func (n NewReset) String() string {
	return n.Link + "\nIt is shown only now. Once, until " + n.Expires.Format(time.DateTime) + ", it sets a new password for " + n.Name + "."
}

// Operations by which an admin helps somebody who can't sign in.
var (
	Reset = operation.Op[*Auth, named, NewReset]{
		Name: "user reset", Scope: operation.Admin, Routes: []string{"POST /users/{name}/reset"}, Short: "Make a link with which somebody sets a new password", Example: "  clew user reset bob",
		Long: `Make a link with which somebody sets a new password, once, within a day. Their
sessions end then. An admin can do that for accounts that may do no more, in any
workspace; an owner for all.`,
		Do: (*Auth).makeReset,
	}
	SignOutEverywhere = operation.Op[*Auth, named, Account]{
		Name: "user sign-out", Scope: operation.Admin, Routes: []string{"DELETE /users/{name}/sessions"}, Short: "End all sessions of an account", Example: "  clew user sign-out bob",
		Do: func(a *Auth, ctx context.Context, in named) (Account, error) {
			account, err := a.Managed(ctx, in.Name)
			if err != nil {
				return Account{}, err
			}
			return done(account.Name, a.endSessions(ctx, domain.PersonOf(ctx), account.Name, ""))
		},
		Text: operation.Line(func(a Account) string { return a.Name + " is signed out everywhere." }),
	}
	TOTPOff = operation.Op[*Auth, named, Account]{
		Name: "user totp-off", Scope: operation.Install, Routes: []string{"DELETE /users/{name}/totp"}, Short: "Turn off the codes of an account, which then signs in with its password alone", Example: "  clew user totp-off bob",
		Long: `Let an account sign in with its password alone, when its owner has lost both the
app that shows the codes and the recovery codes.`,
		Do: func(a *Auth, ctx context.Context, in named) (Account, error) {
			name := normal(in.Name)
			if _, err := a.Ledger.Account(ctx, name); err != nil {
				return Account{}, err
			}
			if err := a.Ledger.RemoveSecondStep(ctx, name); err != nil {
				return Account{}, err
			}
			a.Log.InfoContext(ctx, "second step switched off", "account", name, "by", domain.PersonOf(ctx))
			return Account{name}, nil
		},
		Text: operation.Line(func(a Account) string { return a.Name + " signs in without a code from now on." }),
	}
)

// HelpOperations are what is done for accounts that can't get in.
func HelpOperations() []operation.Operation[*Auth] {
	return []operation.Operation[*Auth]{Reset, SignOutEverywhere, TOTPOff}
}

// Managed returns an account that the person of a context may manage as a whole: owners may all, others those that may do no
// more than themselves, in each workspace. The error is of kind NotFound or Forbidden.
func (a *Auth) Managed(ctx context.Context, name string) (ledger.Account, error) {
	account, err := a.Ledger.Account(ctx, normal(name))
	if err != nil {
		return ledger.Account{}, err
	}
	caller, err := a.caller(ctx)
	if err != nil || caller.Name == "" || caller.Role == domain.Owner {
		return account, err
	}
	memberships, err := a.Ledger.Memberships(ctx, account.Name)
	if err != nil {
		return ledger.Account{}, err
	}
	more := account.Role == domain.Owner
	for _, m := range memberships {
		in, err := a.Ledger.AccountIn(ctx, m.Workspace, caller.Name)
		if err != nil {
			return ledger.Account{}, err
		}
		more = more || !in.Role.Includes(domain.Admin) || !in.Role.Includes(m.Role)
	}
	if more {
		return ledger.Account{}, domain.Errorf(domain.Forbidden, "%s may do more than you somewhere, or belongs to a workspace that you are not an admin of. Ask an owner.", account.Name)
	}
	return account, nil
}

func (a *Auth) makeReset(ctx context.Context, in named) (NewReset, error) {
	account, err := a.Managed(ctx, in.Name)
	if err != nil {
		return NewReset{}, err
	}
	secret, err := a.pass(ctx, ledger.ResetPassword, account, resetFor)
	if err != nil {
		return NewReset{}, err
	}
	a.Log.InfoContext(ctx, "reset of a password begun", "account", account.Name, "by", domain.PersonOf(ctx))
	return NewReset{account.Name, a.Now().Add(resetFor), secret, a.Site + link.Reset(secret)}, nil
}

// pass stores a pass for an account and returns its secret.
func (a *Auth) pass(ctx context.Context, purpose string, account ledger.Account, lasts time.Duration) (string, error) {
	secret, err := newLink(a.Random)
	if err != nil {
		return "", err
	}
	return secret, a.Ledger.AddPass(ctx, ledger.Pass{
		Hash: linkHash(secret), Purpose: purpose, Account: account.Name, PasswordHash: account.PasswordHash, CreatedAt: a.Now(), ExpiresAt: a.Now().Add(lasts),
	})
}

// ResetOf returns the account whose password the secret of a link resets. Errors are like those of Invitation.
func (a *Auth) ResetOf(ctx context.Context, secret string, address netip.Addr) (string, error) {
	if err := a.mayTry(address); err != nil {
		return "", err
	}
	p, err := a.Ledger.Pass(ctx, ledger.ResetPassword, linkHash(secret))
	return p.Account, a.wrongLink(address, err)
}

// ResetPassword sets a new password with a link, which ends the account's sessions, and returns the account.
func (a *Auth) ResetPassword(ctx context.Context, secret, password string, address netip.Addr) (string, error) {
	if _, err := a.ResetOf(ctx, secret, address); err != nil {
		return "", err
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return "", err
	}
	p, err := a.Ledger.TakePass(ctx, ledger.ResetPassword, linkHash(secret))
	if err != nil {
		return "", a.wrongLink(address, err)
	}
	if err := a.Ledger.SetPassword(ctx, p.Account, hash, ""); err != nil {
		return "", err
	}
	a.Log.InfoContext(ctx, "password changed", "account", p.Account, "by", "a link", "address", address)
	a.record(ctx, audit.Password, p.Account, nil, "by=link")
	return p.Account, nil
}
