package signon

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
)

// FlowTime is how long a sign-on that was begun can be finished.
const FlowTime = 10 * time.Minute

// keySetting is the setting that holds the key with which flows are encrypted.
const keySetting = "sign_on_key"

// flow is a sign-on that was begun. The browser keeps it, encrypted.
type flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Redirect string `json:"r"` // address to which the provider redirects the browser
	Next     string `json:"x"` // page to open afterwards
	Account  string `json:"a"` // to link; "" to sign in
	Expires  int64  `json:"e"` // in seconds
}

// A Request asks to begin a sign-on.
type Request struct {
	Redirect string // address of the page to which the provider redirects the browser
	Next     string // page to open afterwards
	Account  string // the signed-in account to link; "" to sign in
}

// A Begun sign-on continues at the provider.
type Begun struct {
	URL    string // at the provider
	Cookie string // name of the cookie that the browser must send back
	Sealed string // its value
}

// Begin begins a sign-on. The error is of kind Unavailable while the provider does not answer.
func (s *Service) Begin(ctx context.Context, r Request) (Begun, error) {
	if s.provider == nil {
		return Begun{}, noProvider()
	}
	at, err := s.provider.get(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "the sign-on provider does not answer", "issuer", s.Set.Issuer, "err", err)
		return Begun{}, err
	}
	f := flow{Redirect: r.Redirect, Next: r.Next, Account: r.Account, Expires: s.Now().Add(FlowTime).Unix()}
	for _, secret := range []*string{&f.State, &f.Nonce, &f.Verifier} {
		if *secret, err = s.draw(); err != nil {
			return Begun{}, err
		}
	}
	sealed, err := s.seal(ctx, f)
	if err != nil {
		return Begun{}, err
	}
	to := s.provider.oauth(at, f.Redirect).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	return Begun{to, CookieOf(f.State), sealed}, nil
}

func noProvider() error {
	return domain.Errorf(domain.NotFound, "Sign-on is not configured here. Sign in with your name and password.")
}

// CookieOf returns the name of the cookie of the sign-on with a state. Each has its own, for browsers with several tabs.
func CookieOf(state string) string {
	sum := sha256.Sum256([]byte(state))
	return "clew_sign_on_" + base64.RawURLEncoding.EncodeToString(sum[:9])
}

// An Answer holds what a browser brings back from the provider.
type Answer struct {
	Query   url.Values
	Sealed  string // value of the cookie of its state
	Account string // of the browser's session; may be ""
	Client  auth.Client
}

// Finished is a sign-on that ended well.
type Finished struct {
	SignedIn auth.SignedIn // zero if an account was linked
	Linked   bool
	Next     string
}

// errorCode matches the errors of OAuth and OpenID Connect.
var errorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

// Finish signs a person in, or links the account that they are signed in with. Each sign-on is finished once. Next of the
// Finished is set with an error too, if the answer belongs to a sign-on.
func (s *Service) Finish(ctx context.Context, a Answer) (done Finished, err error) {
	f, err := s.opened(ctx, a)
	if err != nil {
		return Finished{}, err
	}
	done = Finished{Next: f.Next, Linked: f.Account != ""}
	who, err := s.who(ctx, f, a.Query)
	if err != nil {
		s.Log.WarnContext(ctx, "sign-on failed", "address", a.Client.Address, "why", err.Error(), "cause", errors.Unwrap(err))
		return done, err
	}
	if f.Account != "" {
		return done, s.link(ctx, f, a, who)
	}
	account, err := s.signOn(ctx, who)
	if err != nil {
		if len(who.groups) == 0 && s.Set.Groups != "" {
			s.Log.WarnContext(ctx, "the provider names no groups of the person", "claim", s.Set.Groups, "claims", who.claims)
		}
		return done, err
	}
	done.SignedIn, err = s.Auth.SignedOn(ctx, account, s.Set.Issuer, a.Client)
	return done, err
}

// opened returns the flow that an answer belongs to, and finishes it.
func (s *Service) opened(ctx context.Context, a Answer) (flow, error) {
	if s.provider == nil {
		return flow{}, noProvider()
	}
	f, err := s.unseal(ctx, a.Query.Get("state"), a.Sealed)
	if err != nil {
		return flow{}, err
	}
	first, err := s.Ledger.FinishSignOn(ctx, domain.Hash([]byte(f.State)), time.Unix(f.Expires, 0))
	if err == nil && !first {
		err = domain.Errorf(domain.Invalid, "This sign-in was already finished. Begin again.")
	}
	return f, err
}

// who returns the person that an answer identifies.
func (s *Service) who(ctx context.Context, f flow, q url.Values) (person, error) {
	if said := q.Get("error"); said != "" {
		if !errorCode.MatchString(said) {
			said = "an error"
		}
		return person{}, domain.Errorf(domain.Unauthorized, "%s did not sign you in: it answered with %s. Begin again.", s.Set.Name, said)
	}
	if by := q.Get("iss"); by != "" && by != s.Set.Issuer {
		return person{}, s.provider.invalid(errors.New("the answer comes from another provider"))
	}
	if q.Get("code") == "" {
		return person{}, s.provider.invalid(errors.New("the answer has no code"))
	}
	return s.provider.exchange(ctx, f, q.Get("code"))
}

// link links the account that a flow was begun with, if the browser is still signed in with it.
func (s *Service) link(ctx context.Context, f flow, a Answer, who person) error {
	if a.Account != f.Account {
		return domain.Errorf(domain.Conflict, "You are no longer signed in as %s. Nothing was linked. Sign in and begin again.", f.Account)
	}
	if err := s.Ledger.Link(ctx, who.issuer, who.subject, who.called, f.Account); err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "account linked to sign-on", "account", f.Account, "by", f.Account)
	s.record(ctx, Linking.Name, f.Account, f.Account)
	return nil
}

// EndsAt returns the address at which a person signs out of the provider and comes back, or "" if there is none.
func (s *Service) EndsAt(ctx context.Context, back string) string {
	if s.provider == nil {
		return ""
	}
	u, err := url.Parse(s.provider.endsAt(ctx))
	if err != nil || u.Host == "" {
		return ""
	}
	q := u.Query()
	q.Set("client_id", s.Set.ClientID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String()
}

// Problem returns why people can't sign on now, or nil. It waits only briefly.
func (s *Service) Problem(ctx context.Context) error {
	if s.provider == nil {
		return nil
	}
	return s.provider.problem(ctx)
}

func (s *Service) draw() (string, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(s.Random, b); err != nil {
		return "", fmt.Errorf("draw the state of a sign-on: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// sealer returns the cipher for flows.
func (s *Service) sealer(ctx context.Context) (cipher.AEAD, error) {
	secret, err := s.Ledger.Secret(ctx, domain.DefaultWorkspace, keySetting, s.Random)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte("sign-on\x00" + secret))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("encrypt a sign-on: %w", err)
	}
	return cipher.NewGCM(block)
}

func (s *Service) seal(ctx context.Context, f flow) (string, error) {
	aead, err := s.sealer(ctx)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("encode a sign-on: %w", err)
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := io.ReadFull(s.Random, nonce); err != nil {
		return "", fmt.Errorf("encrypt a sign-on: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nonce, nonce, plain, []byte(f.State))), nil
}

// unseal returns the flow with a state.
func (s *Service) unseal(ctx context.Context, state, sealed string) (flow, error) {
	aead, err := s.sealer(ctx)
	if err != nil {
		return flow{}, err
	}
	var f flow
	b, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil && len(b) > aead.NonceSize() {
		b, err = aead.Open(nil, b[:aead.NonceSize()], b[aead.NonceSize():], []byte(state))
	}
	if err != nil || json.Unmarshal(b, &f) != nil || !same(f.State, state) || s.Now().Unix() >= f.Expires {
		return flow{}, domain.Errorf(domain.Invalid, "This sign-in was not begun in this browser, or more than %d minutes ago. Begin again.", int(FlowTime.Minutes()))
	}
	return f, nil
}
