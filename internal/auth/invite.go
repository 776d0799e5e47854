package auth

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// MaxInvitationDays is the longest that an invitation lasts.
const MaxInvitationDays = 90

// maxNote is the maximum length of the note on an invitation, in characters.
const maxNote = 200

// Invited describes what an invitation gives access to.
type Invited struct {
	Workspace domain.Workspace
	Role      domain.Role
	By        string // an account; "" if a command made it
	Until     time.Time
}

// Invitation returns what the secret of a link gives access to, or an error of kind NotFound unless it can be used:
// whoever made it must still be allowed to. Too many wrong secrets from an address are an error of kind TooMany.
func (a *Auth) Invitation(ctx context.Context, secret string, address netip.Addr) (Invited, error) {
	if err := a.mayTry(address); err != nil {
		return Invited{}, err
	}
	i, err := a.Ledger.OpenInvitation(ctx, linkHash(secret))
	if err == nil && i.MadeBy != "" {
		err = a.stillInvites(ctx, i)
	}
	if err != nil {
		return Invited{}, a.wrongLink(address, err)
	}
	w, err := a.Ledger.Workspace(ctx, i.Workspace)
	return Invited{w, i.Role, i.MadeBy, i.ExpiresAt}, err
}

// stillInvites fails with kind NotFound if whoever made an invitation may not make such any more.
func (a *Auth) stillInvites(ctx context.Context, i ledger.Invitation) error {
	maker, err := a.Ledger.AccountIn(ctx, i.Workspace, i.MadeBy)
	switch {
	case domain.KindOf(err) == domain.NotFound, err == nil && !(maker.Role.Includes(domain.Admin) && maker.Role.Includes(i.Role)):
		return domain.Errorf(domain.NotFound, "This link does not work any more: whoever made it may not invite you. Ask an admin of the workspace for a new one.")
	}
	return err
}

// Accept uses an invitation up for a new account, and begins a session.
func (a *Auth) Accept(ctx context.Context, secret, name, password string, c Client) (SignedIn, error) {
	invited, err := a.Invitation(ctx, secret, c.Address)
	if err != nil {
		return SignedIn{}, err
	}
	name = normal(name)
	if err := checkName(name); err != nil {
		return SignedIn{}, err
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.Ledger.AcceptInvitation(ctx, linkHash(secret), name, hash); err != nil {
		return SignedIn{}, err
	}
	a.accepted(ctx, name, invited)
	return a.proceed(ctx, ledger.Account{Name: name, PasswordHash: hash}, c)
}

// Join uses an invitation up for the account of a session.
func (a *Auth) Join(ctx context.Context, secret string, s ledger.Session, address netip.Addr) (Invited, error) {
	invited, err := a.Invitation(ctx, secret, address)
	if err != nil {
		return Invited{}, err
	}
	if err := a.Ledger.AcceptInvitation(ctx, linkHash(secret), s.Account, ""); err != nil {
		return Invited{}, err
	}
	a.accepted(ctx, s.Account, invited)
	return invited, nil
}

// accepted logs and records that an account has become a member by an invitation.
func (a *Auth) accepted(ctx context.Context, account string, invited Invited) {
	a.Log.InfoContext(ctx, "invitation accepted", "account", account, "workspace", invited.Workspace.Name, "role", invited.Role, "by", invited.By)
	a.Trail.Record(domain.WithWorkspace(ctx, invited.Workspace.ID), audit.Entry{
		Action: audit.Accept, Person: account, Things: []string{account}, How: []string{"role=" + string(invited.Role), "by=" + invited.By},
	})
}

// newLink draws the secret of a link, 256 bits as text.
func newLink(random io.Reader) (string, error) {
	b := make([]byte, tokenBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("draw a link: %w", err)
	}
	return base62(b, tokenDigits), nil
}

// linkHash returns the stored hash of a link's secret. Tokens are hashed in the same way, but none is as short.
func linkHash(secret string) string { return tokenHash(secret) }

// links returns the budget of wrong links from an address.
func links(address netip.Addr) []claim {
	return []claim{{keyOf("link", network(address)), perAddress}}
}

// mayTry fails with kind TooMany after too many wrong links from an address.
func (a *Auth) mayTry(address netip.Addr) error {
	if wait := a.limits.take(links(address)); wait > 0 {
		return domain.TooManyf(wait, "Too many links that don't work have been opened from your address. Try again in %s.", seconds(wait))
	}
	a.limits.giveBack(links(address))
	return nil
}

// wrongLink returns an error, and counts it for an address if it is of kind NotFound.
func (a *Auth) wrongLink(address netip.Addr, err error) error {
	if domain.KindOf(err) == domain.NotFound {
		a.limits.take(links(address))
	}
	return err
}
