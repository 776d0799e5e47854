//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestSomebodySignsOnInABrowser goes to the provider by the button and comes back, links an account that has a password, and
// signs out of both.
func TestSomebodySignsOnInABrowser(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	base := "http://" + address
	p := startProvider(t, base)
	p.in(t, map[string][]string{"marta": {"it"}, "lin": {"staff"}})
	sh := newShell(t, "LISTEN="+address, "OIDC_ISSUER="+p.issuer, "OIDC_CLIENT_ID=clew", "OIDC_CLIENT_SECRET=a secret of the client",
		"OIDC_NAME=Velmdale sign-on", "OIDC_ROLES=staff=library:reader, it=owner", "FIRST_PASSWORD=correct horse")
	sh.serve(t)
	signOn := func(b *browser, name string) {
		b.until(`document.querySelector('[name="login"]')`)
		b.write(`[name="login"]`, name)
		b.write(`[name="password"]`, "any\r")
		b.until(`document.querySelector('[name="prompt"][value="consent"]') || location.origin === "` + base + `"`)
		if js[bool](b, `!!document.querySelector('[name="prompt"][value="consent"]')`) {
			b.click(`button[type="submit"]`)
		}
		b.until(`location.origin === "` + base + `"`)
	}
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open("/graph")
		b.until(`document.querySelector('[data-testid="sign-on"]')`)
		b.shoot("sign-on")
		b.click(sel("sign-on"))
		signOn(b, "marta")
		b.until(`location.pathname === "/w/library/graph"`)
		b.open(link.SignOnSettings)
		if said := b.text("main"); !strings.Contains(said, "It answers.") || !strings.Contains(said, base+link.SignOnCallback) {
			t.Errorf("the page about sign-on says %s", squeeze(said))
		}
		b.shoot("sign-on-settings")
		b.open(link.Account)
		if said := b.text(sel("my-sign-on")); !strings.Contains(said, "Signed in by Velmdale sign-on as marta@example.org") {
			t.Errorf("the page of the account says %s", squeeze(said))
		}
		b.shoot("sign-on-account")
		if width > 1000 {
			b.audit(axeScript(t), []audited{{name: "sign-on", path: link.SignOnSettings, dark: true}, {name: "account by sign-on", path: link.Account, dark: true}})
		}
		b.open(link.Account)
		b.click(`main form[action$="/logout"] button`)
		b.until(`location.origin === "` + p.issuer + `"`)
	}

	b := newBrowser(t, base, 1440)
	b.open(link.Login)
	b.write(`[name="name"]`, "admin")
	b.write(`main [name="password"]`, "correct horse\r")
	b.until(`location.pathname === "/w/library/"`)
	b.open(link.Account)
	b.click(sel("link"))
	signOn(b, "lin")
	b.until(`location.search === "?done=linked" && document.querySelector('[data-testid="my-sign-on"]').textContent.includes("lin@example.org")`)
	b.click(`[data-testid="my-sign-on"] summary`)
	b.click(sel("unlink"))
	b.until(`location.search === "?done=unlinked"`)
	b.quiet("ERR_NAME_NOT_RESOLVED") // the page of the provider wants a font of the web
}
