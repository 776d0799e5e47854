//go:build e2e

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/testkit/gitserver"
	"github.com/clewhq/clew/views/link"
)

// TestASourceInTheBrowser previews a site and follows it, looks again after pages have changed and gone, decides what becomes of
// what is gone, and pauses the source.
func TestASourceInTheBrowser(t *testing.T) {
	t.Parallel()
	site := newPapers(t, 4)
	base, _ := start(t, "WEB_ALLOW=127.0.0.1")
	b := newBrowser(t, base, 1440)
	b.open(link.Sources)
	b.shoot("sources-none")
	b.click(sel("new-site"))
	b.until(`document.querySelector('[data-testid="new-source"]')`)
	b.write(`[name="address"]`, site.URL+"/nothing/"+kb.Enter)
	b.until(`document.querySelector('[data-testid="preview"]')?.textContent.includes("There is nothing at")`)
	b.fill(`[name="address"]`, site.URL+"/papers/")
	b.fill(`[name="name"]`, "Papers of the foundry")
	b.click(sel("new-source") + ` [type="submit"]:not([formaction])`)
	b.until(`document.querySelector('[data-testid="preview"]')?.textContent.includes("It would bring 4 items")`)
	b.shoot("sources-preview")
	b.fill(`[name="address"]`, site.URL+"/papers/001.html")
	b.click(sel("follow")) // which was not previewed
	b.until(`document.querySelector('[data-testid="preview"]')?.textContent.includes("It would bring 1 item")`)
	b.fill(`[name="address"]`, site.URL+"/papers/")
	b.click(sel("follow"))
	b.until(`document.querySelector('[data-testid="preview"]')?.textContent.includes("It would bring 4 items")`)
	b.click(sel("follow"))
	look := func(changes string) { // the page is asked for until it says so
		b.until(fmt.Sprintf(`(Date.now() - (window.asked ?? 0) > 500 && (window.asked = Date.now(), fetch(location.href).then(r => r.text()).then(said => { window.said = said })), (window.said ?? "").includes(%q))`, changes))
		b.open(js[string](b, "location.pathname"))
	}
	look(`<b class="num">4</b> new`)
	b.shoot("sources-first")
	site.change("/papers/001.html", "<title>Paper 1</title><p>Agnes Lovibond wrote the first paper again.</p>")
	site.change("/papers/002.html", "")
	site.change("/papers/003.html", "")
	b.click(sel("source") + ` form[action$="/look"] button`)
	look(`<b class="num">2</b> gone`)
	b.shoot("sources-changed")
	b.click(`[data-testid="source-detail"] .gone form button:not([name])`)
	b.until(`document.querySelectorAll('[data-testid="source-detail"] .gone').length === 1`)
	b.audit(axeScript(t), []audited{{name: "sources", path: link.Sources, dark: true}, {name: "new source", path: link.With(link.NewSource, "kind", "mail"), dark: true}, {name: "new repository", path: link.With(link.NewSource, "kind", "git")}})
	phone := newBrowser(t, base, 390)
	for name, at := range map[string]string{"list": link.Sources, "new": link.With(link.NewSource, "kind", "site")} {
		phone.open(at)
		phone.settle()
		phone.fits(390)
		phone.shoot("sources-390-" + name)
	}
	phone.open(link.Sources)
	phone.click(sel("source") + " .nm a")
	phone.until(`document.querySelector('[data-testid="source-detail"]')`)
	phone.shoot("sources-390-open")
	phone.click(`[data-testid="source-detail"] .gone button[name="delete"]`)
	phone.until(`location.search.includes("done=deleted")`)
	phone.quiet()
	repo := gitserver.New(t, true)
	repo.Put("docs/a.txt", "Maud Ferring cast the bell.")
	repo.Token = "bells"
	b.open(link.With(link.NewSource, "kind", "git"))
	b.fill(`[name="address"]`, repo.Address)
	b.fill(`[name="folder"]`, "docs")
	b.fill(`[name="secret"]`, "bells")
	b.click(sel("new-source") + ` [type="submit"]:not([formaction])`)
	b.until(`document.querySelector('[data-testid="preview"]')?.textContent.includes("docs/a.txt")`)
	b.shoot("sources-git")
	pointers := gitserver.New(t, true)
	pointers.Put("a.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
	b.open(link.With(link.NewSource, "kind", "git"))
	b.fill(`[name="address"]`, pointers.Address)
	b.click(sel("new-source") + ` [type="submit"]:not([formaction])`)
	b.click(sel("follow"))
	look(`data-testid="source-problem"`)
	b.click(sel("source-problem") + " summary")
	b.until(`document.querySelector('[data-testid="source-problem"] li').checkVisibility()`)
	b.shoot("sources-problem")
	b.open(link.Sources)
	b.click(sel("source") + ` form[action$="/pause"] button`)
	b.until(`document.querySelector('form[action$="/resume"]')`)
	b.shoot("sources-paused")
	b.click(`form[action$="/resume"] button`)
	b.until(`document.querySelector('form[action$="/pause"]')`)
	b.quiet()
}
