package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// stranger returns the bench with a browser of somebody else.
func (b *bench) stranger() *bench {
	other := *b
	c := *b.client
	c.Jar = &cookies{}
	other.client, other.served = &c, nil
	return &other
}

// shown returns what the first group of a pattern matches on a page.
func shown(t *testing.T, p reply, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(p.body)
	if m == nil {
		t.Fatalf("status %d, nothing like %s in %s", p.status, pattern, p.main(t))
	}
	return m[1]
}

const madeLink = `id="made-link">http://[^/]+(/[^<]+)<`

func TestInvitationsOnPages(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.post(t, "/login", credentials("correct horse"))
	p := b.post(t, link.Invitations, url.Values{"note": {"Records office"}, "role": {"contributor"}, "days": {"7"}})
	path := shown(t, p, madeLink)
	if again := b.get(t, link.Invitations); strings.Contains(again.body, path) || !strings.Contains(again.main(t), "Records office") {
		t.Errorf("the list shows %q", again.main(t))
	}
	if p := b.post(t, link.Invitations, url.Values{"role": {"king"}, "days": {"7"}}); p.status != 422 && p.status != 400 || !strings.Contains(p.main(t), "There is no role") {
		t.Errorf("an unknown role: %d %q", p.status, p.main(t))
	}

	guest := b.stranger()
	if p := guest.get(t, path); p.status != 200 || !strings.Contains(p.main(t), "Library") || !strings.Contains(p.main(t), "contributor") {
		t.Fatalf("the link opens %d %q", p.status, p.main(t))
	}
	if p := guest.post(t, path, url.Values{"name": {"Bob"}, "password": {"short"}}); p.status < 400 || !strings.Contains(p.main(t), "too short") || !strings.Contains(p.body, `value="Bob"`) {
		t.Errorf("a short password: %d %q", p.status, p.main(t))
	}
	if p := guest.post(t, path, url.Values{"as": {"ada"}}); p.status != 401 {
		t.Errorf("in the name of somebody who is not signed in: %d", p.status)
	}
	if p := guest.post(t, path, url.Values{"name": {"Bob"}, "password": {"a long enough one"}}); p.status != 303 {
		t.Fatalf("accepted: %d %q", p.status, p.main(t))
	}
	if p := guest.get(t, "/account"); p.status != 200 || !strings.Contains(p.main(t), "bob") {
		t.Errorf("after it: %d %q", p.status, p.main(t))
	}
	for _, used := range []string{path, link.Join("nothing")} {
		if p := guest.get(t, used); p.status != 404 || !strings.Contains(p.main(t), "This link does not work") {
			t.Errorf("%s: %d %q", used, p.status, p.main(t))
		}
	}
	if p := guest.get(t, link.Invitations); p.status != 403 {
		t.Errorf("a contributor sees the invitations: %d", p.status)
	}

	higher := shown(t, b.post(t, link.Invitations, url.Values{"role": {"curator"}, "days": {"1"}}), madeLink)
	if p := guest.get(t, higher); !strings.Contains(p.main(t), "You are signed in as bob") {
		t.Errorf("signed in, the link opens %q", p.main(t))
	}
	if p := guest.post(t, higher, url.Values{"as": {"bob"}}); p.status != 303 {
		t.Errorf("joined: %d %q", p.status, p.main(t))
	}
	revoked := b.post(t, link.Invitations, url.Values{"role": {"reader"}, "days": {"1"}})
	id := shown(t, revoked, `/invitations/(i[0-9a-f]+)/revoke`)
	if p := b.post(t, link.RevokeInvitation(id), nil); p.status != 303 {
		t.Errorf("revoked: %d", p.status)
	}
	if p := b.stranger().get(t, shown(t, revoked, madeLink)); p.status != 404 {
		t.Errorf("a revoked link opens: %d", p.status)
	}
}

func TestAResetOnPages(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	testkit.Must(t, b.Auth.Add(here(t), "", "bob", "forgotten one", domain.Reader))
	b.post(t, "/login", credentials("correct horse"))
	path := shown(t, b.post(t, link.MakeReset("bob"), nil), madeLink)
	guest := b.stranger()
	if p := guest.get(t, path); p.status != 200 || !strings.Contains(p.main(t), "bob") {
		t.Fatalf("the link opens %d %q", p.status, p.main(t))
	}
	if p := guest.post(t, path, url.Values{"password": {"short"}}); !strings.Contains(p.main(t), "too short") {
		t.Errorf("a short password: %d %q", p.status, p.main(t))
	}
	p := guest.post(t, path, url.Values{"password": {"a new long one"}})
	if p.status != 303 || p.header.Get("Location") != "/login?done=password" {
		t.Fatalf("set: %d to %q", p.status, p.header.Get("Location"))
	}
	if p := guest.get(t, "/login?done=password"); !strings.Contains(p.main(t), "The password was set.") {
		t.Errorf("then: %q", p.main(t))
	}
	if p := guest.post(t, "/login", url.Values{"name": {"bob"}, "password": {"a new long one"}}); p.status != 303 {
		t.Errorf("signed in: %d", p.status)
	}
	if p := guest.post(t, path, url.Values{"password": {"another long one"}}); p.status != 404 {
		t.Errorf("once more: %d", p.status)
	}
}

// TestCodesAreRequiredOnPages signs in where everybody is asked for a code, without an app.
func TestCodesAreRequiredOnPages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true}, func(p *Params) { p.Auth = p.Auth.With(p.Auth.Lifetime, true) })
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
	b.Clock.Stop()
	p := b.post(t, "/login", credentials("correct horse"))
	if at := p.header.Get("Location"); p.status != 303 || !strings.HasPrefix(at, "/login/code?next=") {
		t.Fatalf("the password leads to %d %q", p.status, at)
	}
	secret := strings.ReplaceAll(shown(t, b.get(t, link.Code), `data-testid="secret">([A-Z2-7 ]+)<`), " ", "")
	if p := b.post(t, link.Code, url.Values{"code": {"12"}}); p.status != 401 || !strings.Contains(p.body, `data-testid="secret"`) {
		t.Errorf("a wrong code: %d", p.status)
	}
	if p := b.get(t, "/settings"); p.status != 303 {
		t.Errorf("the password alone opens a page: %d", p.status)
	}
	now, err := totp.GenerateCode(secret, b.Clock.Now())
	testkit.Must(t, err)
	if p := b.post(t, link.Code, url.Values{"code": {now}, "next": {"/settings"}}); p.status != 200 || !strings.Contains(p.body, `data-testid="recovery"`) || !strings.Contains(p.body, `href="/settings"`) {
		t.Errorf("the first code: %d %s", p.status, p.main(t))
	}
	if p := b.get(t, link.Account); p.status != 200 || strings.Contains(p.body, link.StopStep+`"`) {
		t.Errorf("the page of the account: %d", p.status)
	}
}

func TestCodesOnPages(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.Clock.Stop()
	b.post(t, "/login", credentials("correct horse"))
	if p := b.post(t, link.SecondStep, nil); p.status != 303 {
		t.Fatalf("begun: %d", p.status)
	}
	secret := strings.ReplaceAll(shown(t, b.get(t, link.SecondStep), `data-testid="secret">([A-Z2-7 ]+)<`), " ", "")
	code := func() url.Values {
		b.Clock.Advance(time.Minute)
		now, err := totp.GenerateCode(secret, b.Clock.Now())
		testkit.Must(t, err)
		return url.Values{"code": {now}, "next": {"/settings"}}
	}
	if p := b.post(t, link.ConfirmStep, url.Values{"code": {"12"}}); p.status != 401 || !strings.Contains(p.body, `data-testid="secret"`) {
		t.Errorf("a wrong code: %d", p.status)
	}
	recovery := shown(t, b.post(t, link.ConfirmStep, code()), `id="recovery"[^>]*>([a-z2-7-]+)`)

	guest := b.stranger()
	p := guest.post(t, "/login", credentials("correct horse"))
	if at := p.header.Get("Location"); p.status != 303 || !strings.HasPrefix(at, "/login/code?next=") {
		t.Fatalf("the password leads to %d %q", p.status, at)
	}
	if p := guest.get(t, "/settings"); p.status != 303 {
		t.Errorf("the password alone opens a page: %d", p.status)
	}
	if p := guest.post(t, link.Code, url.Values{"code": {"1"}}); p.status != 401 || !strings.Contains(p.main(t), "wrong") {
		t.Errorf("a wrong code: %d %q", p.status, p.main(t))
	}
	if p := guest.post(t, link.Code, code()); p.status != 303 || p.header.Get("Location") != "/settings" {
		t.Errorf("the right code: %d to %q", p.status, p.header.Get("Location"))
	}
	if p := guest.get(t, "/settings"); p.status != 200 {
		t.Errorf("after it: %d", p.status)
	}
	if p := guest.post(t, link.Code, code()); p.status != 401 || !strings.Contains(p.main(t), "Sign in again") {
		t.Errorf("the code without the password: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, link.StopStep, url.Values{"code": {recovery}}); p.status != 303 {
		t.Errorf("switched off: %d %q", p.status, p.main(t))
	}
	third := b.stranger()
	if p := third.post(t, "/login", credentials("correct horse")); p.header.Get("Location") != "/settings" {
		t.Errorf("without codes: to %q", p.header.Get("Location"))
	}
	if p := third.post(t, link.Sessions, url.Values{"all": {"true"}}); p.status != 303 || p.header.Get("Location") != "/login" {
		t.Errorf("signed out everywhere: %d to %q", p.status, p.header.Get("Location"))
	}
	for name, one := range map[string]*bench{"b": b, "guest": guest, "third": third} {
		if p := one.get(t, "/settings"); p.status != 303 {
			t.Errorf("%s is still signed in: %d", name, p.status)
		}
	}
}

func TestTheFirstDay(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	testkit.Must(t, b.Ledger.SetSetting(t.Context(), domain.DefaultWorkspace, "alone", "")) // as in a new installation
	if p := b.get(t, "/"); p.status != 303 || p.header.Get("Location") != link.Setup {
		t.Fatalf("the first page leads to %d %q", p.status, p.header.Get("Location"))
	}
	if p := b.get(t, "/documents"); p.status != 200 {
		t.Errorf("another page: %d", p.status)
	}
	if p := b.get(t, link.Setup); p.status != 200 || !strings.Contains(p.main(t), "Go on without an account") {
		t.Errorf("setup: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, link.Alone, nil); p.status != 303 {
		t.Errorf("alone: %d", p.status)
	}
	if p := b.get(t, "/"); p.status != 200 {
		t.Errorf("then the first page: %d to %q", p.status, p.header.Get("Location"))
	}
	if p := b.get(t, link.Account); !strings.Contains(p.body, `href="/setup"`) {
		t.Errorf("the page of the account does not lead to setup")
	}
	if p := b.post(t, link.Setup, url.Values{"name": {"ada"}, "password": {"short"}}); p.status < 400 || !strings.Contains(p.main(t), "too short") {
		t.Errorf("a short password: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, link.Setup, url.Values{"name": {"ada"}, "password": {"a long enough one"}}); p.status != 303 {
		t.Fatalf("the first account: %d %q", p.status, p.main(t))
	}
	if p := b.get(t, "/settings"); p.status != 200 {
		t.Errorf("signed in by making it: %d", p.status)
	}
	guest := b.stranger()
	if p := guest.get(t, link.Setup); p.status != 303 {
		t.Errorf("setup again: %d", p.status)
	}
	if p := guest.post(t, link.Setup, url.Values{"name": {"eve"}, "password": {"a long enough one"}}); p.status != http.StatusConflict {
		t.Errorf("a second first account: %d", p.status)
	}
	if p := guest.post(t, link.Alone, nil); p.status != http.StatusForbidden {
		t.Errorf("a guest says that there is nobody: %d", p.status)
	}
	if p := b.post(t, link.Alone, nil); p.status != 303 {
		t.Errorf("the owner does: %d", p.status)
	}
}

// TestOnlyThisMachineIsAlone: where others can reach the pages, there must be an account.
func TestOnlyThisMachineIsAlone(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true}, func(p *Params) { p.Loopback = false })
	if p := b.get(t, link.Setup); strings.Contains(p.main(t), "without an account") {
		t.Errorf("offered: %q", p.main(t))
	}
	if p := b.post(t, link.Alone, nil); p.status != 403 {
		t.Errorf("allowed: %d", p.status)
	}
}

// TestTheLogKeepsNoLink: what a link leads to may fail while the link still works.
func TestTheLogKeepsNoLink(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := open(t, testkit.Options{Idle: true}, func(p *Params) {
		p.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, path := range []string{link.Join("quorlibet"), link.Reset("quorlibet")} {
		if p := b.get(t, path); p.status != 404 {
			t.Errorf("%s: %d", path, p.status)
		}
	}
	b.stop(t.Context(), t)
	if said := log.String(); strings.Contains(said, "quorlibet") || !strings.Contains(said, "This link does not work") {
		t.Errorf("the log is\n%s", said)
	}
}
