package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/respond"
)

// httpClient sends what commands ask of a server. It follows no redirects: they would turn what changes something into
// what looks.
var httpClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send sends a request with headers and reads the body of its answer. Accept is among the headers unless the answer is not read.
func (r remote) send(ctx context.Context, t operation.Target, headers map[string]string, read func(io.Reader) error) error {
	request, err := r.request(ctx, t)
	if err != nil {
		return err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := httpClient.Do(request)
	if err != nil {
		return r.unreached(ctx, err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode >= http.StatusBadRequest:
		return r.refusal(ctx, answer)
	case answer.StatusCode >= http.StatusMultipleChoices:
		return r.elsewhere(answer)
	case answer.StatusCode == http.StatusNoContent:
		return nil
	case answer.Header.Get("Content-Type") != "" && mediaType(answer) == "text/html":
		return domain.Errorf(domain.Unavailable, "%s answers with a page for people, not as Clew does. Is there a login or a proxy before it?", r.server)
	}
	body := &brokenOff{answer.Body, nil}
	if err := read(bufio.NewReader(body)); err != nil {
		switch {
		case ctx.Err() != nil:
			return stopped()
		case body.err != nil:
			return domain.Because(domain.Unavailable, body.err, "The answer of %s broke off. Run the command again; clew run list shows what is still going on there.", r.server)
		}
		return err
	}
	return nil
}

// stopped returns the error of a command that a person has ended.
func stopped() error { return domain.Errorf(domain.Unavailable, "Stopped.") }

// brokenOff is a body that notes the error with which it ended.
type brokenOff struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (b *brokenOff) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// addressed returns an error unless the server is named by an address.
func (r remote) addressed() error {
	address, err := url.Parse(r.server)
	if err == nil && address.User != nil {
		return domain.Errorf(domain.Invalid, "%s names somebody. A server is asked with a token alone: leave out what is before the @.", address.Redacted())
	}
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return domain.Errorf(domain.Invalid, "%q is not the address of a server, such as https://clew.example.org.", r.server)
	}
	return nil
}

// get returns a request for a path of the server that needs no token.
func (r remote) get(ctx context.Context, path string) (*http.Request, error) {
	if err := r.addressed(); err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, http.MethodGet, r.server+path, nil)
}

// request returns a request to the server with the token.
func (r remote) request(ctx context.Context, t operation.Target) (*http.Request, error) {
	if err := r.addressed(); err != nil {
		return nil, err
	}
	token, err := r.token()
	if err == nil {
		err = r.inWorkspace(ctx)
	}
	if err != nil {
		return nil, err
	}
	body, kind := encoded(t)
	at := r.server + api.Root + t.Path
	if len(t.Query) > 0 {
		at += "?" + t.Query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, t.Method, at, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	return request, nil
}

// unreached returns the error of a request that got no answer.
func (r remote) unreached(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return stopped()
	}
	if of, ok := errors.AsType[*domain.Error](err); ok { // a file to send can't be read
		return of
	}
	say := func(format string, args ...any) error {
		return domain.Because(domain.Unavailable, err, "%s", r.server+" "+fmt.Sprintf(format, args...))
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return say("has a certificate by nobody whom this machine trusts. Check the address, or name a file with the certificate of its authority in SSL_CERT_FILE.")
	}
	if names, ok := errors.AsType[x509.HostnameError](err); ok {
		return say("has a certificate for another name: %v. Check the address.", names)
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return say("has a certificate that is no longer valid, or not yet. Check the clock of this machine, or have the certificate renewed.")
		}
		return say("has a certificate that can't be used: %v.", invalid)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return say("does not speak HTTPS. Use its address with http:// if the network between is your own.")
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return say("does not answer: %v. Check the address, and that clew serve runs there.", err)
}

// maxProblem is the most bytes that are read of an error.
const maxProblem = 64 << 10

// refusal returns the error that a server answered a request with.
func (r remote) refusal(ctx context.Context, answer *http.Response) error {
	var p api.Problem
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(&p); err != nil || p.Detail == "" {
		return domain.Errorf(domain.Unavailable, "%s answers %s, not as Clew does. %s", r.server, answer.Status, advice(answer.StatusCode))
	}
	unknown := answer.StatusCode == http.StatusMethodNotAllowed || p.Detail == api.NoRoute || len(p.Wrong) > 0
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		p.Detail += " The token is that of --token, --token-file or " + tokenSetting + "."
	case unknown:
		if other := r.otherVersion(ctx); other != "" {
			p.Detail = fmt.Sprintf("%s runs Clew %s, and this is %s. Update the older one. It says: %s", r.server, other, version, p.Detail)
		}
	}
	return domain.Errorf(respond.KindOf(answer.StatusCode), "%s", p.Detail)
}

// advice explains why something other than Clew may have answered.
func advice(status int) string {
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "The proxy before it does not reach clew serve, or it is overloaded. Try again later."
	case http.StatusRequestEntityTooLarge:
		return "The proxy before it takes no files of this size."
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return "A proxy before it wants a login of its own, and has to let /api through."
	}
	return "Check the address: is it a Clew of this version?"
}

// otherVersion returns the version of the server, or "" if it is this one or not known.
func (r remote) otherVersion(ctx context.Context) string {
	request, err := r.get(ctx, api.Root+"/openapi.json")
	if err != nil {
		return ""
	}
	answer, err := httpClient.Do(request)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var described struct {
		Info struct{ Version string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&described); err != nil || described.Info.Version == version {
		return ""
	}
	return described.Info.Version
}

// elsewhere returns the error of a server that names another address.
func (r remote) elsewhere(answer *http.Response) error {
	to, err := answer.Location()
	if err != nil {
		return domain.Errorf(domain.Unavailable, "%s answers %s, not as Clew does. %s", r.server, answer.Status, advice(answer.StatusCode))
	}
	if path, _, ok := strings.Cut(to.Path, api.Root+"/"); ok {
		return domain.Errorf(domain.Unavailable, "%s sends on to another address. Use that one: --server %s", r.server, to.Scheme+"://"+to.Host+path)
	}
	return domain.Errorf(domain.Unavailable, "%s sends on to a page, %s. A proxy before it wants a login of its own, and has to let /api through.", r.server, to.Scheme+"://"+to.Host+to.Path)
}

func mediaType(answer *http.Response) string {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return kind
}
