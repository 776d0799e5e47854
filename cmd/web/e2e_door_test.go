//go:build e2e

package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/clewhq/clew/views/link"
)

// newcomers serves the program from an empty folder, as on the first day.
func newcomers(t *testing.T) string {
	t.Helper()
	return serveEnv(t, env{
		environ: []string{"DATA_DIR=" + t.TempDir(), "LISTEN=127.0.0.1:0", "LOG_LEVEL=warn"},
		stdout:  io.Discard, stderr: os.Stderr, now: time.Now, random: rand.Reader,
	})
}

// TestTheFirstDayInTheBrowser chooses each of the two ways on the first page.
func TestTheFirstDayInTheBrowser(t *testing.T) {
	t.Parallel()
	base := newcomers(t)
	b := newBrowser(t, base, 1440)
	b.open("/")
	b.until(`location.pathname === "/setup" && document.readyState === "complete"`)
	b.shoot("setup")
	b.click(sel("alone")) // one click, and a newcomer begins
	b.until(`!!document.querySelector('[data-testid="load-sample"]')`)
	b.quiet()

	b = newBrowser(t, newcomers(t), 390)
	b.open("/")
	b.until(`location.pathname === "/setup" && document.readyState === "complete"`)
	b.fits(390)
	b.shoot("setup-390")
	b.write(`input[name="name"]`, "ada")
	b.write(`input[name="password"]`, "a long enough one")
	b.click("[data-reveal]")
	if kind := js[string](b, `document.querySelector('input[name="password"]').type`); kind != "text" {
		t.Errorf("the password is shown as %s", kind)
	}
	b.click(`form .btn.first`)
	b.until(`!!document.querySelector('[data-testid="load-sample"]')`)
	b.open("/w/library/account")
	if said := b.text("main"); !strings.Contains(said, "ada") {
		t.Errorf("the account's page says %s", squeeze(said))
	}
	b.quiet()
}

// TestCodesAreSetUpAtSignInInTheBrowser signs in where everybody is asked for a code.
func TestCodesAreSetUpAtSignInInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := start(t, "FIRST_PASSWORD=correct horse", "FIRST_USER=ada", "CODES_REQUIRED=true")
	for _, width := range []int{1440, 390} { // who leaves begins again with the same secret
		b := newBrowser(t, base, width)
		b.open(link.Login)
		b.write(`input[name="name"]`, "ada\tcorrect horse\r")
		b.until(`location.pathname === "/login/code" && document.readyState === "complete"`)
		b.fits(width)
		b.shoot(fmt.Sprintf("codes-required-%d", width))
		if width == 1440 {
			continue
		}
		b.write(`input[name="code"]`, code(t, strings.ReplaceAll(b.text(sel("secret")), " ", ""), 0)+"\r")
		b.until(`!!document.querySelector('[data-testid="recovery"]')`)
		b.fits(width)
		b.shoot("codes-required-kept-390")
		b.click(`[data-testid="recovery"] .first`)
		b.until(`location.pathname === "/w/library/"`)
		b.quiet()
	}
}

// TestInvitationsAndCodesInTheBrowser invites somebody, who comes in and sets up codes, and signs in with one.
func TestInvitationsAndCodesInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := start(t, "FIRST_PASSWORD=correct horse", "FIRST_USER=ada")
	b := newBrowser(t, base, 1440)
	b.open(link.Login)
	b.shoot("sign-in")
	b.write(`input[name="name"]`, "ada\tcorrect horse\r")
	b.until(`location.pathname === "/w/library/" && document.readyState === "complete"`)
	b.open("/w/library" + link.Invitations)
	b.write(`input[name="note"]`, "Records office")
	b.click(sel("invite"))
	b.until(`!!document.querySelector("#made-link")`)
	b.shoot("invitations")
	address := b.text("#made-link")
	if !strings.HasPrefix(address, base+"/join/") {
		t.Fatalf("the link is %s", address)
	}

	for _, width := range []int{1440, 390} {
		guest := newBrowser(t, base, width)
		guest.open(strings.TrimPrefix(address, base))
		if width == 390 { // the link was used by the first
			guest.until(`document.body.textContent.includes("This link does not work")`)
			guest.quiet("404")
			continue
		}
		guest.shoot(fmt.Sprintf("join-%d", width))
		guest.write(`input[name="name"]`, "bob")
		guest.write(`input[name="password"]`, "a long enough one")
		guest.click(sel("accept"))
		guest.until(`location.pathname === "/w/library/" && document.readyState === "complete"`)
		guest.open("/w/library" + link.Account)
		guest.click(sel("codes-on"))
		guest.until(`!!document.querySelector('[data-testid="secret"]')`)
		guest.shoot("codes")
		secret := strings.ReplaceAll(guest.text(sel("secret")), " ", "")
		guest.write(`input[name="code"]`, code(t, secret, 0))
		guest.click(sel("confirm-codes"))
		guest.until(`!!document.querySelector('[data-testid="recovery"]')`)
		guest.shoot("recovery")
		recovery, _, _ := strings.Cut(guest.text("#recovery"), "\n")
		guest.quiet()

		again := newBrowser(t, base, 390)
		again.open(link.Login)
		again.fits(390)
		again.shoot("sign-in-390")
		again.write(`input[name="name"]`, "bob\ta long enough one\r")
		again.until(`location.pathname === "/login/code" && document.readyState === "complete"`)
		again.fits(390)
		again.shoot("code-390")
		again.write(`input[name="code"]`, code(t, secret, time.Minute/2)+"\r") // the next one, which is accepted already
		again.until(`location.pathname === "/w/library/" && document.readyState === "complete"`)
		again.open("/w/library" + link.Account)
		again.click(`#codes ~ details summary`)
		again.write(`input[name="code"]`, recovery)
		again.click(sel("codes-off"))
		again.until(`!!document.querySelector('[data-testid="codes-on"]')`)
		again.quiet()
	}
	b.quiet()
}

// code returns what an app shows a while from now.
func code(t *testing.T, secret string, later time.Duration) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(later))
	if err != nil {
		t.Fatal(err)
	}
	return code
}
