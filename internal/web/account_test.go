package web

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/web/request"
)

func openWithAccount(t *testing.T) *bench {
	t.Helper()
	b := open(t, testkit.Options{Idle: true})
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
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
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "", "ada", "another horse"))
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
	race.Want(t)
	t.Parallel()
	b := openWithAccount(t)
	b.Clock.Stop() // hashing takes its time, in which a budget grows
	for range 5 {
		b.post(t, "/login", credentials("guess"))
	}
	p := b.post(t, "/login", credentials("correct horse"))
	if p.status != 429 || p.header.Get("Retry-After") != "30" || !strings.Contains(p.main(t), "Too many attempts. Try again in 30 seconds.") {
		t.Errorf("after five guesses: %d, Retry-After %q, %q", p.status, p.header.Get("Retry-After"), p.main(t))
	}
	b.Clock.Advance(30 * time.Second)
	if p := b.post(t, "/login", credentials("correct horse")); p.status != 303 {
		t.Errorf("after the pause: %d %q", p.status, p.main(t))
	}
}

// proxied makes the test's own machine a proxy whose word is believed.
func proxied(p *Params) { p.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

func TestGuessesAreCountedByTheClientsAddress(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true}, proxied)
	b.Clock.Stop()
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
	const stranger, home = "203.0.113.9", "198.51.100.7"
	for range 6 {
		b.post(t, "/login", credentials("guess"), "X-Forwarded-For", stranger)
	}
	if p := b.post(t, "/login", credentials("correct horse"), "X-Forwarded-For", home+", "+stranger); p.status != 429 {
		t.Errorf("an address that the stranger made up: status %d", p.status)
	}
	known := b.client.Jar.(*cookies)
	if p := b.post(t, "/login", credentials("correct horse"), "X-Forwarded-For", home); p.status != 303 {
		t.Fatalf("the owner from another address: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, "/login", credentials("correct horse"), "X-Forwarded-For", stranger); p.status != 303 {
		t.Errorf("the owner's browser at the stranger's address: %d %q", p.status, p.main(t))
	}
	known.all = nil
	if p := b.post(t, "/login", credentials("correct horse"), "X-Forwarded-For", stranger); p.status != 303 {
		t.Errorf("the address from which the owner has signed in: %d %q", p.status, p.main(t))
	}
}

func TestTheFormToSignInIsSmall(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	if p := b.post(t, "/login", url.Values{"name": {strings.Repeat("x", 1<<20)}, "password": {"guess"}}); p.status != 413 {
		t.Errorf("a name of 1 MB: status %d", p.status)
	}
	p := b.post(t, "/login", url.Values{"name": {strings.Repeat("x", 4000)}, "password": {"guess"}})
	if p.status != 422 || strings.Contains(p.body, strings.Repeat("x", 200)) {
		t.Errorf("a name of 4 KB: status %d, page of %d bytes", p.status, len(p.body))
	}
	form := url.Values{"name": {"ada"}, "password": {strings.Repeat("é", auth.MaxPassword/2)}, "next": {"/ask?q=" + strings.Repeat("x", 1900)}}
	if p := b.post(t, "/login", form); p.status != 401 {
		t.Errorf("the longest password: status %d", p.status)
	}
	if p := b.get(t, "/login?next=/ask?q="+strings.Repeat("x", 4000)); strings.Contains(p.body, "xxx") {
		t.Error("the form carries an address too long to be sent")
	}
}

// TestCookiesKnowTheScheme asks as a browser on http, on https behind a trusted
// proxy, and with a header that anybody can send.
func TestCookiesKnowTheScheme(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		proxies func(*Params)
		proto   string
		secure  bool
	}{
		{"http", proxied, "http", false},
		{"https", proxied, "https", true},
		{"https, then http inside", proxied, "https, http", true},
		{"nobody's word", func(*Params) {}, "https", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, testkit.Options{Idle: true}, tt.proxies)
			testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
			p := b.post(t, "/login", credentials("correct horse"), "X-Forwarded-Proto", tt.proto)
			lines := p.header.Values("Set-Cookie")
			if len(lines) != 2 {
				t.Fatalf("cookies %q", lines)
			}
			for i, path := range []string{"/", "/login"} {
				set, err := http.ParseSetCookie(lines[i])
				testkit.Must(t, err)
				if set.Secure != tt.secure || !set.HttpOnly || set.SameSite != http.SameSiteLaxMode || set.Path != path || set.MaxAge <= 0 {
					t.Errorf("cookie %q", lines[i])
				}
			}
			if hsts := p.header.Get("Strict-Transport-Security"); (hsts != "") != tt.secure {
				t.Errorf("Strict-Transport-Security is %q", hsts)
			}
		})
	}
}

// another signs in as ada with another browser and returns its client.
func (b *bench) another(t *testing.T, name, password, browser string) *http.Client {
	t.Helper()
	mine := b.client
	b.client = newClient()
	defer func() { b.client = mine }()
	if p := b.post(t, "/login", url.Values{"name": {name}, "password": {password}}, "User-Agent", browser); p.status != 303 {
		t.Fatalf("sign in: %d %q", p.status, p.main(t))
	}
	return b.client
}

// as makes client the bench's own.
func (b *bench) as(client *http.Client) *bench {
	other := *b
	other.client = client
	return &other
}

const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.signIn(t)
	other, third := b.as(b.another(t, "ada", "correct horse", phone)), b.as(b.another(t, "ada", "correct horse", "curl/8.5"))
	in := func(b *bench) bool { return b.get(t, "/account").status == 200 }
	p := b.get(t, "/account")
	if text := p.main(t); strings.Count(text, "this browser") != 1 || !strings.Contains(text, "Safari on iPhone") || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the page says %q", text)
	}
	ids := map[string]string{}
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return n.Data == "li" && strings.Contains(text(n), "End the session") }) {
		for d := range n.Descendants() {
			if attr(d, "name") == "session" {
				ids[strings.Fields(text(n))[0]] = attr(d, "value")
			}
		}
	}
	if p := b.post(t, "/account/sessions", url.Values{"session": {ids["Safari"]}}); p.status != 303 || len(ids) != 3 {
		t.Fatalf("status %d, sessions %v", p.status, ids)
	}
	if in(other) || !in(b) || !in(third) {
		t.Error("not exactly the named session has ended")
	}
	b.post(t, "/account/sessions", nil)
	if in(third) || !in(b) {
		t.Error("not exactly all other sessions have ended")
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := openWithAccount(t)
	b.signIn(t)
	other := b.as(b.another(t, "ada", "correct horse", phone))
	mine, theirs := b.stream(t, "/documents/events"), other.stream(t, "/documents/events")
	b.post(t, "/account/sessions", nil)
	for {
		if _, more := theirs.next(); !more {
			break
		}
	}
	b.Add(t, "foundry.txt", foundry)
	mine.until(t, "the new row", func(e event) bool { return e.name == "row" })
}

func TestANewPasswordEndsTheOtherSessions(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.signIn(t)
	other := b.as(b.another(t, "ada", "correct horse", phone))
	form := url.Values{"current": {"wrong horse"}, "password": {"another horse"}, "repeat": {"another horse"}}
	if p := b.post(t, "/account/password", form); p.status != 401 || !strings.Contains(p.main(t), "The current password is wrong.") {
		t.Errorf("a wrong password: %d %q", p.status, p.main(t))
	}
	form.Set("current", "correct horse")
	form.Set("repeat", "an other horse")
	if p := b.post(t, "/account/password", form); p.status != 422 || !strings.Contains(p.main(t), "differ") {
		t.Errorf("two passwords: %d %q", p.status, p.main(t))
	}
	form.Set("repeat", "another horse")
	if p := b.post(t, "/account/password", form); p.status != 303 {
		t.Fatalf("status %d: %q", p.status, p.main(t))
	}
	if b.get(t, "/account").status != 200 || other.get(t, "/account").status != 303 {
		t.Error("not exactly the other session has ended")
	}
	b.another(t, "ada", "another horse", phone)
}

func TestOwnersManageAccounts(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.signIn(t)
	if p := b.post(t, "/accounts", url.Values{"name": {"Bob Ferring"}, "password": {"correct horse"}, "role": {"contributor"}}); p.status != 303 {
		t.Fatalf("add: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, "/accounts", url.Values{"name": {"bob ferring"}, "password": {"correct horse"}}); p.status != 409 || !strings.Contains(p.main(t), "already") {
		t.Errorf("add again: %d %q", p.status, p.main(t))
	}
	bob := b.as(b.another(t, "bob ferring", "correct horse", phone))
	if p := b.get(t, "/accounts"); !strings.Contains(p.main(t), "bob ferring Signed in in 1 browser, last used just now contributor") {
		t.Errorf("the list says %q", p.main(t))
	}
	if p := bob.get(t, "/accounts"); p.status != 403 || !strings.Contains(p.main(t), "for owners of this installation") {
		t.Errorf("a member: %d %q", p.status, p.main(t))
	}
	for _, n := range nodes(t, bob.get(t, "/account").body, func(n *html.Node) bool { return n.Data == "a" }) {
		if at := attr(n, "href"); strings.HasPrefix(at, "/settings") || strings.HasPrefix(at, "/prompts") || strings.HasPrefix(at, "/health") || strings.HasPrefix(at, "/accounts") {
			t.Errorf("a member's page links %s", at)
		}
	}
	page := "/accounts/bob%20ferring"
	if p := b.get(t, page); p.status != 200 || !strings.Contains(p.main(t), "Safari on iPhone") {
		t.Errorf("bob's page: %d %q", p.status, p.main(t))
	}
	b.post(t, page+"/role", url.Values{"role": {"owner"}})
	if p := bob.get(t, "/accounts"); p.status != 200 {
		t.Errorf("who became an owner: status %d", p.status)
	}
	b.post(t, page+"/sessions", nil)
	if p := bob.get(t, "/account"); p.status != 303 {
		t.Errorf("whose sessions were ended: status %d", p.status)
	}
	bob = b.as(b.another(t, "bob ferring", "correct horse", phone))
	b.post(t, page+"/password", url.Values{"password": {"another horse"}})
	if p := bob.get(t, "/account"); p.status != 303 {
		t.Errorf("whose password was set: status %d", p.status)
	}
	if p := b.post(t, "/accounts/Ada/password", url.Values{"password": {"another horse"}}); p.status != 409 {
		t.Errorf("one's own password without the current one: status %d", p.status)
	}
	bob = b.as(b.another(t, "bob ferring", "another horse", phone))
	b.post(t, page+"/remove", nil)
	if p := bob.get(t, "/account"); p.status != 303 {
		t.Errorf("whose account was removed: status %d", p.status)
	}
	if p := b.post(t, "/accounts/ada/remove", nil); p.status != 409 || !strings.Contains(p.main(t), "ada is the only owner.") {
		t.Errorf("the last owner: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, "/accounts/ada/role", url.Values{"role": {"contributor"}}); p.status != 409 {
		t.Errorf("the last owner's role: status %d", p.status)
	}
}

func TestTheFirstAccountByThePage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	if p := b.get(t, "/account"); !strings.Contains(p.main(t), "There are no accounts") {
		t.Errorf("the page says %q", p.main(t))
	}
	if p := b.post(t, "/accounts", url.Values{"name": {"ada"}, "password": {"correct horse"}}); p.status != 303 {
		t.Fatalf("status %d: %q", p.status, p.main(t))
	}
	if p := b.get(t, "/accounts?done=first-account"); p.status != 200 || !strings.Contains(p.body, "you are signed in with it") {
		t.Errorf("whoever added the first account is not signed in as an owner: status %d", p.status)
	}
	b.client = newClient()
	if p := b.get(t, "/accounts"); p.status != 303 {
		t.Errorf("nobody has to sign in: status %d", p.status)
	}
	b.signIn(t)
	if p := b.get(t, "/accounts"); p.status != 200 {
		t.Errorf("the first account is no owner: status %d", p.status)
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
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
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
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
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
