//go:build e2e

package main

import (
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestAWebSearchInTheBrowser asks what the library does not have, sends the question out, reads a source of the answer and adds its
// page to the library.
func TestAWebSearchInTheBrowser(t *testing.T) {
	t.Parallel()
	web := newWeb(t)
	sh := newShell(t, "EMBED_PROVIDER=none")
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", foundry))
	base := startOn(t, sh.data, "WEB_ALLOW=127.0.0.1", "WEB_SEARCH_URL="+web.searchAt, "EMBED_PROVIDER=none")
	b := newBrowser(t, base, 1440)
	b.open(link.Ask)
	b.ask(hydrofoil)
	b.until(`document.querySelector('[data-testid="web-search"]')`)
	b.until(`!document.querySelector('.pending')`)
	b.click(sel("web-search") + " > summary")
	b.shoot("web-search-offered")
	b.click(sel("ask-web"))
	b.until(`location.search.includes("branch")`)
	b.until(`document.querySelector('[data-testid="of-web"]')`)
	b.until(`document.querySelector('[data-testid="answer"]').textContent.includes("Enrico Forlanini")`)
	b.until(`!document.querySelector('[data-testid="web-search"]')`)
	b.shoot("web-search-answered")
	if n := b.count(sel("branch-links") + " a"); n != 2 {
		t.Errorf("%d answers to switch between, want 2", n)
	}
	b.auditHere(axeScript(t), "answer of the web")
	b.click(sel("source-link"))
	b.until(`document.querySelector('[data-testid="web-source"]')?.textContent.includes("1906")`)
	b.shoot("web-search-source")
	phone := newBrowser(t, base, 390)
	phone.open(js[string](b, "location.pathname + location.search"))
	phone.settle()
	phone.fits(390)
	phone.shoot("web-search-390")
	phone.quiet()
	b.click(sel("add-page"))
	b.until(`!location.pathname.includes("/ask/")`)
	b.open(link.Documents)
	b.until(`(Date.now() - (window.asked ?? 0) > 500 && (window.asked = Date.now(), fetch(location.href).then(r => r.text()).then(said => { window.said = said })), (window.said ?? "").includes("hydrofoil.html"))`)
	b.quiet()
}
