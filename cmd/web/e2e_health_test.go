//go:build e2e

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTheStoresAreCheckedRepairedAndBackedUpFromThePage(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/settings")
	b.click(`.tabs a[href="/w/library/health"]`)
	b.until(`(document.querySelector('[data-testid="health-state"]')?.textContent ?? "") === "Everything is in order."`)
	if n := b.count(sel("store") + `[data-state="well"]`); n != 3 {
		t.Errorf("%d stores are well", n)
	}
	checked := `(document.querySelector('[data-testid="last-check"]')?.textContent ?? "")`
	b.click(sel("run-check"))
	b.until(checked + `.startsWith("No differences as of")`)

	corrupt(t, filepath.Join(data, "graph.db"), `UPDATE entities SET name = 'Somebody Else' WHERE num = (SELECT min(num) FROM entities)`)
	b.click(sel("run-check"))
	b.until(`!!document.querySelector('[data-testid="repair"]')`)
	if found := b.text(sel("findings")); !strings.Contains(found, "differs from the ledger") {
		t.Errorf("found is %q", found)
	}
	b.shoot("health")
	b.click(sel("repair"))
	b.until(checked + `.startsWith("No differences as of")`)

	js[any](b, `fetch("/w/library/health/backup", { method: "POST" }).then(async (r) => { window.kept = [r.status, ...new Uint8Array(await r.arrayBuffer())].slice(0, 5).join() })`)
	b.until(`!!window.kept`)
	if kept := js[string](b, `window.kept`); kept != "200,40,181,47,253" {
		t.Errorf("the backup begins %s, want status 200 and the mark of zstd", kept)
	}
	phone := newBrowser(t, base, 390)
	phone.open("/health")
	if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide on a screen of 390", wide)
	}
	phone.quiet()
	b.quiet()
}
