//go:build e2e

package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestATokenIsMadeInABrowser makes a token by keyboard, calls with it, and revokes it, wide and on a phone.
func TestATokenIsMadeInABrowser(t *testing.T) {
	t.Parallel()
	base, _ := start(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open("/tokens")
		b.write(`main [name="name"]`, "reading-room\r")
		b.until(`document.querySelector("#secret")`)
		b.shoot("tokens-made")
		secret := b.text("#secret")
		if said := b.text("#how-curl"); !strings.Contains(said, secret) || !strings.Contains(said, base+"/api/v1/ask") {
			t.Errorf("the line to copy is %s", said)
		}
		if wide := js[bool](b, "document.documentElement.scrollWidth > innerWidth"); wide {
			t.Errorf("the page is wider than %d", width)
		}
		call := func() int {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1/me", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+secret)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			return answer.StatusCode
		}
		if got := call(); got != http.StatusOK {
			t.Errorf("with the token: status %d", got)
		}
		if width > 1000 {
			b.audit(axeScript(t), []audited{{name: "tokens", path: link.Tokens, dark: true}, {name: "webhooks", path: link.Webhooks, dark: true}})
		}
		b.open(link.Reference)
		if wide := js[bool](b, "[...document.querySelectorAll('details')].map((d) => d.open = true) && document.documentElement.scrollWidth > innerWidth"); wide {
			t.Errorf("the routes are wider than the window of %d", width)
		}
		b.open("/tokens")
		if said := b.text("main"); strings.Contains(said, secret) || !strings.Contains(said, "Used just now") {
			t.Errorf("the page says %s", squeeze(said))
		}
		b.click(`[data-testid="token"] summary`)
		b.click(`[data-testid="token"] form button`)
		b.until(`location.search === "?done=revoked" && !document.querySelector('[data-testid="token"]')`)
		if got := call(); got != http.StatusUnauthorized {
			t.Errorf("with the revoked token: status %d", got)
		}
		b.quiet()
	}
}
