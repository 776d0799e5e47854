package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Client is where a request comes from.
type Client struct {
	Address netip.Addr
	Browser string // as it identifies itself
}

// An Attempt is an attempt to sign in.
type Attempt struct {
	Client

	Name, Password string
	Known          string // a SignedIn.Known from an earlier sign-in with this browser; may be ""
}

// SignedIn holds what a browser stores after signing in.
type SignedIn struct {
	Token string // of the session
	Known string // proves later that this account has signed in with this browser

	Pass     string   // passed to Proceed if a code is required; Token is then empty
	Recovery []string // codes that replace one from the app, shown once, if codes were set up during this sign-in
}

// SignIn checks a name and a password and begins a session, or has a code asked for first. A wrong name and a
// wrong password give the same error, of kind Unauthorized, after the same
// time. After too many misses the error is of kind TooMany; limits.go says whose
// misses count against whom.
func (a *Auth) SignIn(ctx context.Context, t Attempt) (SignedIn, error) {
	name := normal(t.Name)
	if len(name) > MaxName || len(t.Password) > MaxPassword {
		// Nobody has such a name or password, so nothing is revealed and nothing is stored.
		return SignedIn{}, domain.Errorf(domain.Invalid, "A name has at most %d characters and a password at most %d. Check what you have typed.", MaxName, MaxPassword)
	}
	pair := keyOf("pair", name, network(t.Address))
	browser, err := a.knownBrowser(ctx, name, t.Known)
	if err != nil {
		return SignedIn{}, err
	}
	claims := []claim{{pair, perPair}, {keyOf("address", network(t.Address)), perAddress}}
	switch {
	case browser != "":
		claims = []claim{{keyOf("browser", browser), perPair}}
	case !a.limits.trusted(pair):
		claims = append(claims, claim{keyOf("name", name), perName})
	}
	account, err := a.verify(ctx, name, t.Password, claims)
	if err != nil {
		a.missed(ctx, err, account.Name, t.Client)
		return SignedIn{}, err
	}
	a.limits.trust(pair)
	return a.proceed(ctx, account, t.Client)
}

// verify checks an account's password and returns the account, also with an
// error of kind Unauthorized if there is one of that name. It takes an attempt
// from each budget before it hashes and returns it unless the password is wrong.
func (a *Auth) verify(ctx context.Context, name, password string, claims []claim) (ledger.Account, error) {
	if wait := a.limits.take(claims); wait > 0 {
		return ledger.Account{}, domain.TooManyf(wait, "Too many attempts. Try again in %s.", seconds(wait))
	}
	account, err := a.Ledger.Account(ctx, name)
	exists := err == nil && account.PasswordHash != ""
	if err == nil && !exists {
		account.PasswordHash = a.decoy
	}
	if domain.KindOf(err) == domain.NotFound {
		account, err = ledger.Account{PasswordHash: a.decoy}, nil
	}
	matches := false
	if err == nil {
		matches, err = a.Hasher.Matches(ctx, password, account.PasswordHash)
	}
	if err == nil && !(matches && exists) {
		return account, domain.Errorf(domain.Unauthorized, "Name or password is wrong.")
	}
	a.limits.giveBack(claims)
	return account, err
}

// missed logs and records a failed sign-in, a few a minute at most. It names the account
// only if there is one: people type passwords into the field of the name.
func (a *Auth) missed(ctx context.Context, err error, account string, c Client) {
	if kind := domain.KindOf(err); kind != domain.Unauthorized && kind != domain.TooMany {
		return
	}
	if a.misses.take([]claim{{keyOf("log"), logLines}}) > 0 {
		return
	}
	attrs := []any{"address", c.Address, "why", err.Error()}
	if account != "" {
		attrs = append(attrs, "account", account)
	}
	a.Log.WarnContext(ctx, "sign-in failed", attrs...)
	e := audit.Entry{Action: audit.SignInFailed, Err: err, Installation: true, Always: true}
	if account != "" {
		e.Things = []string{account}
	}
	a.Trail.Record(ctx, e)
}

// maxBrowser cuts what is stored of a browser's name.
const maxBrowser = 256

// begin begins a session of an account, after a sign-on with its issuer.
func (a *Auth) begin(ctx context.Context, account ledger.Account, issuer string, c Client) (SignedIn, error) {
	token, err := a.draw()
	if err != nil {
		return SignedIn{}, err
	}
	known, err := a.know(ctx, account.Name)
	if err != nil {
		return SignedIn{}, err
	}
	err = a.Ledger.AddSession(ctx, ledger.Session{
		ID: sessionID(token), Account: account.Name, PasswordHash: account.PasswordHash, Issuer: issuer, Address: c.Address.String(),
		Browser: domain.Cut(c.Browser, maxBrowser), ExpiresAt: a.expiry(a.Now()),
	})
	if err != nil {
		return SignedIn{}, err
	}
	a.Log.InfoContext(ctx, "signed in", "account", account.Name, "address", c.Address)
	a.record(ctx, audit.SignIn, account.Name, nil)
	return SignedIn{Token: token, Known: known}, nil
}

// unusedFor is how long a session lasts that is not used.
const unusedFor = 7 * 24 * time.Hour

// expiry returns until when a session begun at a time is valid.
func (a *Auth) expiry(began time.Time) time.Time {
	end, unused := began.Add(a.Lifetime), a.Now().Add(unusedFor)
	if unused.Before(end) {
		return unused
	}
	return end
}

// noteAfter is how old the time of a session's last use may be, so that not
// every request writes.
const noteAfter = time.Minute

// Session returns the session of a browser's token, with the role of its account in the workspace of ctx, and whether it is
// valid. It notes now and then that the session is used.
func (a *Auth) Session(ctx context.Context, token string, from netip.Addr) (ledger.Session, bool, error) {
	s, found, err := a.Ledger.Session(ctx, domain.WorkspaceOf(ctx), sessionID(token))
	if err != nil || !found || a.Now().Sub(s.UsedAt) < noteAfter {
		return s, found, err
	}
	if err := a.Ledger.UseSession(ctx, s.ID, from.String(), a.expiry(s.CreatedAt)); err != nil && ctx.Err() == nil {
		a.Log.WarnContext(ctx, "the use of a session was not noted", "err", err) // not a reason to show nothing
	}
	return s, true, nil
}

// Ended reports whether a session has ended, or its account is no longer a member of the workspace of ctx. It does not count as a use of the
// session. One that is not stored lasts as long as its request, if the account may still read.
func (a *Auth) Ended(ctx context.Context, s ledger.Session) (bool, error) {
	if !s.Stored() {
		account, err := a.Account(ctx, s.Account)
		if domain.KindOf(err) == domain.NotFound {
			return true, nil
		}
		return err == nil && !account.Role.Includes(domain.Reader), err
	}
	now, found, err := a.Ledger.Session(ctx, domain.WorkspaceOf(ctx), s.ID)
	return err == nil && (!found || s.Role != domain.Stranger && now.Role == domain.Stranger), err
}

// Sessions lists the sessions of an account, the last used first.
func (a *Auth) Sessions(ctx context.Context, account string) ([]ledger.Session, error) {
	return a.Ledger.Sessions(ctx, normal(account))
}

// SignOut ends the session of a browser.
func (a *Auth) SignOut(ctx context.Context, s ledger.Session) error {
	if err := a.Ledger.SignOut(ctx, s.Account, s.ID); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "signed out", "account", s.Account)
	a.record(ctx, audit.SignOut, s.Account, nil)
	return nil
}

// EndSession ends one session of an account.
func (a *Auth) EndSession(ctx context.Context, by, account, id string) error {
	if err := a.Ledger.EndSession(ctx, normal(account), id); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "session ended", "account", normal(account), "by", by)
	a.Trail.Record(ctx, audit.Entry{Action: audit.EndSessions, Things: []string{normal(account)}, Installation: true})
	return nil
}

// EndSessions ends the sessions of an account but the one whose id is keep.
func (a *Auth) EndSessions(ctx context.Context, by, account, keep string) error {
	err := a.endSessions(ctx, by, account, keep)
	if err == nil {
		a.Trail.Record(ctx, audit.Entry{Action: audit.EndSessions, Things: []string{normal(account)}, Installation: true})
	}
	return err
}

func (a *Auth) endSessions(ctx context.Context, by, account, keep string) error {
	if err := a.Ledger.EndSessions(ctx, normal(account), keep); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "sessions ended", "account", normal(account), "by", by)
	return nil
}

func sessionID(token string) string { return domain.Hash([]byte(token)) }

// SignedOn begins a session for an account whose owner a sign-on provider has identified.
func (a *Auth) SignedOn(ctx context.Context, account, issuer string, c Client) (SignedIn, error) {
	found, err := a.Ledger.Account(ctx, account)
	if err != nil {
		return SignedIn{}, err
	}
	return a.begin(ctx, found, issuer, c)
}

// KnownFor is how long a browser is known after it was signed in with.
const KnownFor = 365 * 24 * time.Hour

// knownKey is the setting that holds the installation's key.
const knownKey = "known_browsers_key"

// know returns a value that proves for a time that an account has signed in with
// a browser: an id, the end, and the installation's signature of both for that
// account.
func (a *Auth) know(ctx context.Context, account string) (string, error) {
	id, err := a.draw()
	if err != nil {
		return "", err
	}
	key, err := a.Ledger.Secret(ctx, domain.Installation, knownKey, a.Random)
	if err != nil {
		return "", err
	}
	end := strconv.FormatInt(a.Now().Add(KnownFor).Unix(), 10)
	return id + "." + end + "." + signature(key, account, id, end), nil
}

// knownBrowser returns the id in a value that know made for the account, or "" for any other value.
func (a *Auth) knownBrowser(ctx context.Context, account, known string) (string, error) {
	id, rest, _ := strings.Cut(known, ".")
	end, signed, ok := strings.Cut(rest, ".")
	if !ok {
		return "", nil
	}
	key, set, err := a.Ledger.Setting(ctx, domain.Installation, knownKey)
	if err != nil || !set || !hmac.Equal([]byte(signed), []byte(signature(key, account, id, end))) {
		return "", err
	}
	if seconds, err := strconv.ParseInt(end, 10, 64); err != nil || a.Now().Unix() >= seconds {
		return "", nil //nolint:nilerr // not a value of know
	}
	return id, nil
}

func signature(key string, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// draw returns 256 random bits as text.
func (a *Auth) draw() (string, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(a.Random, b); err != nil {
		return "", fmt.Errorf("draw a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
