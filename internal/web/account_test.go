package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/web/request"
)

func openWithAccount(t *testing.T) *bench {
	t.Helper()
	b := open(t, testkit.Options{Idle: true})
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "ada", "correct horse"))
	return b
}

func credentials(password string) url.Values {
	return url.Values{"name": {"Ada"}, "password": {password}, "next": {"/settings"}}
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	p := b.post(t, "/login", credentials("wrong horse"))
	if p.status != 401 || !strings.Contains(p.main(t), "Name or password is wrong.") || strings.Contains(p.body, "wrong horse") {
		t.Errorf("a wrong password: %d %q", p.status, p.main(t))
	}
	p = b.post(t, "/login", credentials("correct horse"))
	if p.status != 303 || p.header.Get("Location") != "/settings" {
		t.Fatalf("status %d to %q", p.status, p.header.Get("Location"))
	}
	if p := b.get(t, "/settings"); p.status != 200 || !strings.Contains(p.body, "ada") {
		t.Errorf("signed in: status %d", p.status)
	}
	jar := b.client.Jar.(*cookies)
	kept := jar.all
	if p := b.post(t, "/logout", nil); p.status != 303 || p.header.Get("Location") != "/login" {
		t.Errorf("sign out: status %d to %q", p.status, p.header.Get("Location"))
	}
	jar.all = kept
	if p := b.get(t, "/settings"); p.status != 303 {
		t.Errorf("the old cookie is still accepted: status %d", p.status)
	}
}

func TestANewPasswordEndsSessions(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.post(t, "/login", credentials("correct horse"))
	if p := b.get(t, "/settings"); p.status != 200 {
		t.Fatalf("signed in: status %d", p.status)
	}
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "ada", "another horse"))
	if p := b.get(t, "/settings"); p.status != 303 || !strings.HasPrefix(p.header.Get("Location"), "/login") {
		t.Errorf("after the change: status %d to %q, want the sign-in page", p.status, p.header.Get("Location"))
	}
	if p := b.post(t, "/login", credentials("another horse")); p.status != 303 {
		t.Errorf("with the new password: status %d", p.status)
	}
	if p := b.get(t, "/settings"); p.status != 200 {
		t.Errorf("signed in again: status %d", p.status)
	}
}

func TestTheSessionsCookie(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	if p := b.get(t, "/login"); len(p.header.Values("Set-Cookie")) != 0 {
		t.Errorf("a visitor is given a cookie: %q", p.header.Values("Set-Cookie"))
	}
	p := b.post(t, "/login", credentials("correct horse"))
	set, err := http.ParseSetCookie(p.header.Get("Set-Cookie"))
	testkit.Must(t, err)
	if !set.HttpOnly || set.SameSite != http.SameSiteLaxMode || set.Path != "/" || set.Domain != "" || len(set.Value) < 32 {
		t.Errorf("cookie %q", p.header.Get("Set-Cookie"))
	}
	again, err := http.ParseSetCookie(b.post(t, "/login", credentials("correct horse")).header.Get("Set-Cookie"))
	testkit.Must(t, err)
	if again.Value == set.Value {
		t.Error("signing in keeps the token: who planted it would be signed in too")
	}
}

func TestGuessingPasswordsIsSlowedDown(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	for range 5 {
		b.post(t, "/login", credentials("guess"))
	}
	p := b.post(t, "/login", credentials("correct horse"))
	if p.status != 401 || !strings.Contains(p.main(t), "Too many attempts: try again in") {
		t.Errorf("after five guesses: %d %q", p.status, p.main(t))
	}
	b.Clock.Advance(31 * time.Second)
	if p := b.post(t, "/login", credentials("correct horse")); p.status != 303 {
		t.Errorf("after the pause: %d %q", p.status, p.main(t))
	}
}

// foreignAddresses lead to another site, or might in some browser.
var foreignAddresses = []string{
	"https://evil.example", "//evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example", "/\n/evil.example",
	"\t//evil.example", "javascript:alert(1)", "evil.example", "", "/\u0085/evil.example",
}

func TestRedirectsStayOnTheSite(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "ada", "correct horse"))
	for _, address := range foreignAddresses {
		form := credentials("correct horse")
		form.Set("next", address)
		if p := b.post(t, "/login", form); p.status != 303 || p.header.Get("Location") != "/" {
			t.Errorf("next %q: sent to %q", address, p.header.Get("Location"))
		}
		p := b.get(t, "/login?next="+url.QueryEscape(address))
		for _, n := range nodes(t, p.body, func(n *html.Node) bool { return attr(n, "name") == "next" }) {
			if attr(n, "value") != "/" {
				t.Errorf("next %q: the form holds %q", address, attr(n, "value"))
			}
		}
		run := "/runs/" + string(f.doc.Run)
		if p := b.post(t, run+"/stop", url.Values{"back": {address}}); p.header.Get("Location") != run {
			t.Errorf("back %q: sent to %q", address, p.header.Get("Location"))
		}
	}
	if got := request.Local("/ask/k1?a=b#c", "/"); got != "/ask/k1?a=b#c" {
		t.Errorf("an address of this site became %q", got)
	}
}

func TestANewAccountMakesSigningInRequired(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	if p := b.get(t, "/documents"); p.status != 200 {
		t.Fatalf("status %d", p.status)
	}
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "ada", "correct horse"))
	if p := b.get(t, "/documents"); p.status != 303 {
		t.Errorf("status %d once there is an account", p.status)
	}
}

func TestAnyHostIsAllowedBeyondLoopback(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true}, func(p *Params) { p.Loopback = false })
	if p := b.get(t, "/login", "Host", "clew.example"); p.status != 200 {
		t.Errorf("status %d", p.status)
	}
}
