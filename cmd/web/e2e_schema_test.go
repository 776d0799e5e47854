//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestASchemaIsSetInTheBrowser starts from a template, changes it, saves it,
// compares two versions and restores the first, on a wide screen and on a phone.
func TestASchemaIsSetInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for i, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		of := []string{"", "?tag=minutes"}[i] // each has its own scope to begin with
		b.open("/schema" + of)
		if said := b.text("main"); !strings.Contains(said, "Say what your documents are about") {
			t.Errorf("without a schema the page says %.200q", said)
		}
		b.fits(width)
		b.click(`.start-from a[href*="template=minutes"]`)
		b.until(`document.querySelectorAll('[data-testid="label"]').length === 8`)
		b.shoot("schema-" + strconv.Itoa(width))
		b.click(sel("save-schema"))
		b.until(`!!document.querySelector('[data-testid="saved"]')`)

		b.click(sel("add-label"))
		b.until(`document.activeElement?.id === "label-name-8"`)
		b.write("#label-name-8", "Bridge")
		b.click("#label-remove-7") // an object: its triples go too
		b.until(`document.querySelectorAll('[data-testid="label"]').length === 8 && !!document.querySelector('[data-testid="labels"] [data-testid="gone"]')`)
		b.click(sel("save-schema"))
		b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="example"] .row-problem')`)
		if name := js[string](b, `document.querySelector("#label-name-7").value`); name != "Bridge" {
			t.Errorf("after a refused save the label is %q", name)
		}
		b.fits(width)
		b.shoot("schema-refused-" + strconv.Itoa(width))
		b.click("#example-remove-0")
		b.until(`!document.querySelector('[data-testid="example"]')`)
		b.click(sel("save-schema"))
		b.until(`!!document.querySelector('[data-testid="saved"]') && !document.querySelector('[data-testid="diff"]')`)

		b.click(sel("versions"))
		b.until(`location.pathname === "/w/library/schema/versions"`)
		b.click(sel("compare"))
		b.until(`!!document.querySelector('[data-testid="diff"]')`)
		if said := b.text(sel("diff")); !strings.Contains(said, "Bridge") || !strings.Contains(said, "− gone") {
			t.Errorf("the difference says %q", said)
		}
		b.fits(width)
		b.shoot("schema-versions-" + strconv.Itoa(width))
		b.click(sel("versions") + " li:nth-child(2) a")
		b.click(sel("restore"))
		b.until(`location.pathname === "/w/library/schema" && !!document.querySelector('[data-testid="saved"]')`)
		if name := js[string](b, `document.querySelector("#label-name-7").value`); name != "Object" {
			t.Errorf("after the first version is restored the last label is %q", name)
		}
		b.click(sel("yaml"))
		b.until(`document.querySelector('[data-testid="yaml-text"]')?.value.includes("name: Meeting")`)
		b.fits(width)
		b.quiet("422")
	}
}
