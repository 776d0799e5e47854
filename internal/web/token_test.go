package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
)

// secretOf finds the token on the page that shows it.
func secretOf(t *testing.T, p reply) string {
	t.Helper()
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return attr(n, "id") == "secret" }) {
		return text(n)
	}
	t.Fatalf("status %d, no token: %s", p.status, p.main(t))
	return ""
}

func TestATokenIsMadeAndRevokedOnItsPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	p := b.post(t, "/tokens", url.Values{"name": {"reading-room"}, "preset": {"read-and-ask"}, "days": {"7"}})
	secret := secretOf(t, p)
	if p.status != 200 || !regexp.MustCompile(`^clew_[0-9A-Za-z]{49}$`).MatchString(secret) || p.header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d, token %q, Cache-Control %q", p.status, secret, p.header.Get("Cache-Control"))
	}
	if !strings.Contains(p.main(t), `curl `+b.url+`/api/v1/ask`) || strings.Count(p.main(t), secret) != 4 {
		t.Errorf("the examples are not ready to use: %s", p.main(t))
	}
	p = b.get(t, "/tokens")
	if said := p.main(t); strings.Contains(said, secret) || !strings.Contains(said, secret[:9]+"…") || !strings.Contains(said, "Never used") || !strings.Contains(said, "made without an account") {
		t.Errorf("the page says %s", said)
	}
	if p := b.get(t, "/api/v1/me", "Authorization", "Bearer "+secret); p.status != 200 {
		t.Errorf("with the token: %d %s", p.status, p.body)
	}
	p = b.get(t, "/tokens")
	if said := p.main(t); !strings.Contains(said, "Used just now from 127.0.0.1") {
		t.Errorf("after its use the page says %s", said)
	}
	action := ""
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return strings.HasSuffix(attr(n, "action"), "/revoke") }) {
		action = attr(n, "action")
	}
	if p := b.post(t, action, nil); p.status != 303 || p.header.Get("Location") != "/tokens?done=revoked" {
		t.Errorf("revoke: %d to %q", p.status, p.header.Get("Location"))
	}
	if p := b.get(t, "/api/v1/me", "Authorization", "Bearer "+secret); p.status != 401 || !strings.HasPrefix(p.header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("with a revoked token: %d, WWW-Authenticate %q", p.status, p.header.Get("WWW-Authenticate"))
	}
	p = b.post(t, "/tokens", url.Values{"name": {"x"}, "preset": {"chosen"}})
	if p.status != 422 || !strings.Contains(p.main(t), "A token needs a scope") {
		t.Errorf("a token for nothing: %d %s", p.status, p.main(t))
	}
}

func TestTokensAreNeededEvenWithoutAccounts(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	for _, headers := range [][]string{nil, {"Authorization", "Basic YTpi"}, {"Authorization", "Bearer "}, {"Authorization", "Bearer clew_x"}, {"Origin", "https://evil.example"}} {
		if p := b.get(t, "/api/v1/me", headers...); p.status != 401 || !strings.HasPrefix(p.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%v: %d", headers, p.status)
		}
	}
}

func TestAMemberSeesOnlyTokensOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.signIn(t)
	hers := secretOf(t, b.post(t, "/tokens", url.Values{"name": {"of ada"}, "preset": {"everything"}}))
	testkit.Must(t, b.Auth.Add(here(t), "ada", "bob", "correct horse", domain.Curator))
	bob := b.as(b.another(t, "bob", "correct horse", phone))
	if said := bob.get(t, "/tokens").main(t); strings.Contains(said, "of ada") || strings.Contains(said, "set the program") {
		t.Errorf("a member's page says %s", said)
	}
	p := bob.post(t, "/tokens", url.Values{"name": {"of bob"}, "scope": {"admin"}})
	if p.status != 403 {
		t.Errorf("a member makes a token for what is the owners': %d", p.status)
	}
	his := secretOf(t, bob.post(t, "/tokens", url.Values{"name": {"of bob"}, "preset": {"everything"}}))
	if said := b.get(t, "/tokens").main(t); !strings.Contains(said, "of bob") {
		t.Errorf("an owner's page says %s", said)
	}
	testkit.Must(t, b.Auth.Remove(t.Context(), "ada", "bob"))
	if p := b.get(t, "/api/v1/me", "Authorization", "Bearer "+his); p.status != 401 {
		t.Errorf("a token of a removed account: %d", p.status)
	}
	if p := b.get(t, "/api/v1/me", "Authorization", "Bearer "+hers); p.status != 200 {
		t.Errorf("the owner's: %d", p.status)
	}
}

// TestLinksForProgramsBeginWithThePublicAddress looks at what a page tells programs, whatever host its request was sent to.
func TestLinksForProgramsBeginWithThePublicAddress(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{"": "http://127.0.0.1:", "https://clew.example": "https://clew.example/v1"} {
		b := open(t, testkit.Options{}, func(p *Params) { p.PublicURL = set })
		if p := b.get(t, "/tokens"); !strings.Contains(p.body, want) {
			t.Errorf("with PUBLIC_URL=%s, the page does not show %s", set, want)
		}
	}
}
