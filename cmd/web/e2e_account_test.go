//go:build e2e

package main

import (
	"strings"
	"testing"
)

// TestTheFirstAccountSignsIn adds the first account of a library on its page, and tests the connection without a model.
func TestTheFirstAccountSignsIn(t *testing.T) {
	t.Parallel()
	base, _ := start(t)
	b := newBrowser(t, base, 1440)
	b.open("/settings")
	b.click(sel("test-model"))
	b.until(`document.querySelector("#checks .mark-word")`)
	if said := squeeze(b.text("#checks")); !strings.HasPrefix(said, "no model No model is configured") {
		t.Errorf("the connection test says %q", said)
	}
	b.shoot("settings-no-model")
	b.open("/accounts")
	b.write(`main [name="name"]`, "ada")
	b.write(`main [name="password"]`, "a long enough password\r")
	b.until(`location.pathname === "/w/library/accounts" && document.body.textContent.includes("you are signed in with it")`)
	if said := b.text("main"); !strings.Contains(said, "ada") {
		t.Errorf("the page of accounts says %s", squeeze(said))
	}
	b.shoot("accounts-first")
	b.open("/documents")
	if at := js[string](b, "location.pathname"); at != library("/documents") {
		t.Errorf("the next page is %s", at)
	}
	b.quiet()
}
