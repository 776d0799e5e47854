//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestMergeIsTakenBack merges two entities by keyboard, on a wide screen and on
// a phone, and undoes it.
func TestMergeIsTakenBack(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Entities)
		b.until(pictured + ` && document.querySelectorAll('[data-testid="entities"] li').length > 10`)
		b.write(`#graph-search input[name="q"]`, "quennell")
		b.until(`location.search.includes("q=quennell") && document.querySelectorAll('[data-testid="entities"] li').length < 10`)
		b.fits(width)
		b.shoot("list-" + strconv.Itoa(width))
		b.click(`[data-testid="entities"] a`)
		b.until(`location.pathname.startsWith("/w/library/entities/e") && document.readyState === "complete"`)
		js[any](b, `history.back()`)
		b.until(pictured + ` && document.querySelector('#graph-search input[name="q"]').value === "quennell" && document.querySelectorAll('[data-testid="entities"] li').length < 10`)
		b.click(`[data-testid="entities"] a`)
		b.click(sel("merge"))
		b.until(`!!document.querySelector('[data-testid="found"]')`)
		name := js[string](b, `document.querySelector("h1").textContent`)
		b.write(`main input[type="search"]`, "lovibond")
		b.until(`[...document.querySelectorAll('[data-testid="found"] a')].some(a => a.textContent.includes("Lovibond")) && document.querySelectorAll('[data-testid="found"] li').length < 15`)
		found := js[[2]string](b, `(a => [a.textContent, a.getAttribute("href")])(document.querySelector('[data-testid="found"] a'))`)
		other := found[0]
		b.click(`[data-testid="found"] a[href=` + quote(found[1]) + `]`) // the list may be drawn again
		b.until(`!!document.querySelector('[data-testid="pair"]')`)
		b.fits(width)
		b.shoot("merge-" + strconv.Itoa(width))
		b.press("m")
		b.until(`!!document.querySelector('[data-testid="undo"]')`)
		if said := b.text("#undo"); !strings.Contains(said, "Merged “"+other+"” into") || !strings.Contains(name, "same as") {
			t.Errorf("after the merge the bar says %q", said)
		}
		b.fits(width)
		b.press("u")
		b.until(`location.pathname.startsWith("/w/library/entities/e") && document.querySelector("#undo").textContent.includes("Took back")`)
		b.open(link.With(link.Entities, "q", other))
		if list := b.text(sel("entities")); !strings.Contains(list, other) {
			t.Errorf("%s is not back: %q", other, list)
		}
		b.quiet()
	}
}

// fits fails if the page is wider than the screen.
func (b *browser) fits(width int) {
	b.t.Helper()
	if wide := js[int](b, `document.documentElement.scrollWidth`); wide > width {
		outside := js[[]string](b, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth).slice(0, 8).map((e) => e.localName + "." + e.className)`)
		b.t.Errorf("%s is %d pixels wide on a screen of %d; outside are %s", js[string](b, `location.pathname`), wide, width, outside)
	}
}
