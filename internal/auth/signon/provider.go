package signon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

// How long a provider may take for one answer, and its size in bytes.
const (
	answerTimeout = 10 * time.Second
	maxAnswer     = 1 << 20
)

// How long a provider's description of itself is used without asking again, and how long a provider that does not
// answer is left alone.
const (
	freshFor = time.Minute
	downFor  = 5 * time.Second
)

// statusTimeout is how long a page waits to learn whether the provider answers.
const statusTimeout = 2 * time.Second

// provider is a provider of OpenID Connect. It is asked for its addresses when they are needed. It is safe for concurrent
// use.
type provider struct {
	set    config.SignOn
	now    domain.Clock
	client *http.Client

	asking chan struct{} // contains a value while nobody asks
	known  known
}

// known is the state of a provider as last seen.
type known struct {
	*oidc.Provider // nil until it answered

	ends   string    // address for signing out of it; may be ""
	asked  time.Time // when it was last asked
	failed error     // of kind Unavailable, if it did not answer then
}

func newProvider(set config.SignOn, now domain.Clock) *provider {
	p := &provider{set: set, now: now, asking: make(chan struct{}, 1), client: &http.Client{Timeout: answerTimeout, Transport: bounded{http.DefaultTransport}}}
	p.asking <- struct{}{}
	return p
}

// bounded limits the size of answers.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// discovery holds the parts of a provider's metadata that package oidc doesn't read.
type discovery struct {
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Keys          string `json:"jwks_uri"`
	EndSession    string `json:"end_session_endpoint"`
}

// look returns the state of the provider. It asks the provider if that was long ago.
func (p *provider) look(ctx context.Context) (known, error) {
	select {
	case <-p.asking:
	case <-ctx.Done():
		return known{}, p.unavailable(ctx.Err())
	}
	defer func() { p.asking <- struct{}{} }()
	age := p.now().Sub(p.known.asked)
	if p.known.failed != nil && age >= downFor || p.known.failed == nil && (p.known.Provider == nil || age >= freshFor) {
		p.ask(ctx)
	}
	return p.known, nil
}

// ask asks the provider for its addresses. If it does not answer, those that are known stay.
func (p *provider) ask(ctx context.Context) {
	answer, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.set.Issuer)
	var says discovery
	if err == nil {
		if err = answer.Claims(&says); err == nil {
			err = says.check(p.set.Issuer)
		}
	}
	if err == nil {
		p.known = known{Provider: answer, ends: says.EndSession, asked: p.now()}
		return
	}
	p.known.failed, p.known.asked = p.unavailable(err), p.now()
	if errors.Is(ctx.Err(), context.Canceled) { // the caller has gone, which says nothing about the provider
		p.known.asked = time.Time{}
	}
}

// get returns the provider. While it does not answer, what is known of it is used; without that, the error is of kind
// Unavailable.
func (p *provider) get(ctx context.Context) (*oidc.Provider, error) {
	is, err := p.look(ctx)
	if err == nil && is.Provider == nil {
		err = is.failed
	}
	return is.Provider, err
}

// check refuses addresses on which others could eavesdrop.
func (d discovery) check(issuer string) error {
	named := []string{d.Authorization, d.Token, d.Keys}
	if d.EndSession != "" {
		named = append(named, d.EndSession)
	}
	for _, address := range named {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || u.Scheme != "https" && !strings.HasPrefix(issuer, "http://") {
			return fmt.Errorf("the provider names the address %q", address)
		}
	}
	return nil
}

func (p *provider) unavailable(err error) error {
	if mismatch, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
		return domain.Because(domain.Unavailable, err, "%s calls itself %q, and not as OIDC_ISSUER says. Set OIDC_ISSUER to that.", p.set.Name, domain.Cut(line(mismatch.Discovered), maxCalled))
	}
	return domain.Because(domain.Unavailable, err, "%s does not answer at the moment. Try again in a while, or sign in with a password.", p.set.Name)
}

// problem returns why the provider can't be used now, or nil. It waits only briefly.
func (p *provider) problem(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	is, err := p.look(ctx)
	return cmp.Or(err, is.failed)
}

// endsAt returns the address at which a person signs out of the provider, or "" if it has none or does not answer.
func (p *provider) endsAt(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	is, err := p.look(ctx)
	if err != nil || is.failed != nil {
		return ""
	}
	return is.ends
}

// oauth returns how this installation speaks to the provider.
func (p *provider) oauth(at *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.set.ClientID, ClientSecret: p.set.ClientSecret, Endpoint: at.Endpoint(), RedirectURL: redirect, Scopes: strings.Fields(p.set.Scopes),
	}
}

// exchange returns the provider's statements about a person in return for a code.
func (p *provider) exchange(ctx context.Context, f flow, code string) (person, error) {
	at, err := p.get(ctx)
	if err != nil {
		return person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.oauth(at, f.Redirect).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < http.StatusInternalServerError {
			return person{}, p.invalid(err)
		}
		return person{}, p.unavailable(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := at.VerifierContext(ctx, &oidc.Config{ClientID: p.set.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return person{}, p.invalid(err)
	}
	said := claims{}
	if err := token.Claims(&said); err != nil {
		return person{}, p.invalid(err)
	}
	by, _ := said["azp"].(string)
	switch {
	case !same(token.Nonce, f.Nonce):
		return person{}, p.invalid(errors.New("the token has another nonce"))
	case by != "" && by != p.set.ClientID, by == "" && len(token.Audience) > 1:
		return person{}, p.invalid(errors.New("the token was made for another client"))
	case token.AccessTokenHash != "" && token.VerifyAccessToken(tokens.AccessToken) != nil:
		return person{}, p.invalid(errors.New("the access token is not the one that the ID token names"))
	case line(token.Subject) != token.Subject || token.Subject == "" || len(token.Subject) > maxSubject:
		return person{}, p.invalid(errors.New("the subject is empty or too long"))
	}
	return p.described(ctx, at, token.Subject, said, oauth2.StaticTokenSource(tokens))
}

// described returns a person with the groups that the ID token names, or else the UserInfo endpoint.
func (p *provider) described(ctx context.Context, at *oidc.Provider, subject string, said claims, tokens oauth2.TokenSource) (person, error) {
	groups, found := said.groups(p.set.Groups)
	grouped := p.set.Groups != ""
	if (grouped && !found || said.person("", "").name == "") && at.UserInfoEndpoint() != "" {
		info, err := at.UserInfo(ctx, tokens)
		if err != nil {
			return person{}, p.unavailable(err)
		}
		more := claims{}
		if err := info.Claims(&more); err != nil || info.Subject != subject {
			return person{}, p.invalid(errors.Join(err, errors.New("the UserInfo endpoint speaks of another person")))
		}
		if !found {
			groups, _ = more.groups(p.set.Groups)
		}
		for name, value := range more {
			if _, ok := said[name]; !ok {
				said[name] = value
			}
		}
	}
	who := said.person(p.set.Issuer, subject)
	who.groups, who.grouped, who.claims = groups, grouped, said.names()
	return who, nil
}

func (p *provider) invalid(err error) error {
	return domain.Because(domain.Unauthorized, err, "%s gave an answer that is not valid for this sign-in. Begin again.", p.set.Name)
}
