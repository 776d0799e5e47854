//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestADraftIsTriedInTheBrowser narrows the sample by a strict schema: dry run,
// save and read again, what was dropped, allow it, and it comes back. On a wide
// screen and on a phone.
func TestADraftIsTriedInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for i, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open("/schema")
		if i == 0 {
			b.click(sel("add-label"))
			b.until(`document.activeElement?.id === "label-name-0"`)
			b.write("#label-name-0", "Place")
			b.click(sel("strict"))
		} else {
			b.click(`#label-remove-1`)
			b.until(`document.querySelectorAll('[data-testid="label"]').length === 1`)
		}
		b.click(sel("try-schema"))
		b.until(`document.querySelectorAll('[data-testid="dry-chunk"]').length === 5`)
		if said := b.text(sel("dry-run")); !strings.Contains(said, "Dry run on 5 of") || !strings.Contains(said, "The schema has no label Person.") {
			t.Errorf("the dry run says %.300q", said)
		}
		b.fits(width)
		b.shoot("dry-run-" + strconv.Itoa(width))
		b.click(sel("apply-schema"))
		b.until(`location.pathname === "/documents"`)
		b.until(`document.querySelectorAll('[data-testid="dropped-count"]').length > 0 && !document.querySelector('[data-testid="document"][data-status="waiting"], [data-testid="document"][data-status="working"]')`)
		b.fits(width)
		b.shoot("dropped-counts-" + strconv.Itoa(width))
		b.click(sel("dropped-count"))
		b.until(`location.pathname.startsWith("/documents/")`)
		b.click("#dropped > summary")
		b.until(`document.querySelector('#dropped [data-testid="dropped"]').checkVisibility()`)
		b.fits(width)
		b.shoot("dropped-" + strconv.Itoa(width))
		b.click(`#dropped a[data-testid="allow"]`)
		b.until(`location.pathname === "/schema" && !!document.querySelector('[data-testid="begun"]')`)
		if said := b.text(sel("begun")); !strings.Contains(said, "The draft allows the label") {
			t.Errorf("the draft says %q", said)
		}

		b.open("/schema")
		b.click(sel("try-schema"))
		b.until(`!!document.querySelector('[data-testid="allow"][value="allow.label.Person"]')`)
		dropped := b.text(".sumup tbody tr:last-child td")
		b.click(`details[open] [value="allow.label.Person"]`)
		b.until(`document.querySelectorAll('[data-testid="label"]').length === 2`)
		b.click(sel("try-schema"))
		b.until(`!!document.querySelector('[data-testid="apply-schema"]')`)
		b.click(sel("apply-schema"))
		b.until(`location.pathname === "/documents"`)
		b.until(`document.readyState === "complete" && document.querySelectorAll('[data-testid="document"]').length > 0 && !document.querySelector('[data-testid="document"][data-status="waiting"], [data-testid="document"][data-status="working"]')`)
		b.open("/schema")
		b.click(sel("try-schema"))
		b.until(`document.querySelectorAll('[data-testid="dry-chunk"]').length === 5`)
		if now := b.text(".sumup tbody tr:last-child td"); now == dropped {
			t.Errorf("after a label is allowed, %s items are dropped as before", now)
		}
		b.quiet()
	}
}
