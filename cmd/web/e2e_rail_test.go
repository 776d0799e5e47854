//go:build e2e

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/views/link"
)

// railed is true once the rail is at a value and the picture of it is drawn.
func railed(value string) string {
	return pictured + ` && document.querySelector("#graph-year")?.value === ` + value
}

// TestTheRailOfYears goes along the years in which relations begin or end, by keys, by Play, and by an address.
func TestTheRailOfYears(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Graph)
		b.until(railed(`document.querySelector("#graph-year").min`) + ` && document.querySelector("#graph-rail output").textContent === "Any time"`)
		b.fits(width)
		first := js[string](b, `document.querySelector("#graph-year").dataset.rail.split(",")[0]`)
		edges := js[int](b, `document.querySelector("#graph-picture").picture.graph.size`)
		js[any](b, `document.querySelector("#graph-year").focus()`)
		b.press(kb.ArrowRight)
		b.until(`location.search.includes("as_of=` + first + `") && ` + railed(quote(first)) + ` && document.activeElement.id === "graph-year"`)
		if says := js[string](b, `document.querySelector("#graph-year").getAttribute("aria-valuetext")`); says != js[string](b, `document.querySelector("#graph-rail output").textContent`) || says == first {
			t.Errorf("%d px: the rail says %q of %s", width, says, first)
		}
		if now := js[int](b, `document.querySelector("#graph-picture").picture.graph.size`); width > 1000 && now >= edges {
			t.Errorf("%d lines are drawn as of %s, of %d", now, first, edges)
		}
		b.fits(width)
		b.shoot(fmt.Sprint("rail-", width))
		b.press(kb.End)
		b.until(railed(`document.querySelector("#graph-year").max`) + ` && location.search.includes("as_of=" + document.querySelector("#graph-year").max)`)
		b.press(kb.Home)
		b.until(`!location.search.includes("as_of=") && ` + railed(`document.querySelector("#graph-year").min`))
		b.click(sel("rail-play"))
		b.until(`location.search.includes("as_of=` + first + `") && document.querySelector("[data-rail-play]").textContent.includes("Pause")`)
		b.until(`/as_of=/.test(location.search) && !location.search.includes("as_of=` + first + `")`)
		b.click(sel("rail-play"))
		b.until(pictured + ` && document.querySelector("[data-rail-play]").textContent.includes("Play")`)
		b.click(sel("any-time"))
		b.until(`!location.search.includes("as_of=") && ` + railed(`document.querySelector("#graph-year").min`))
		b.open(link.Graph + "?as_of=1066")
		b.until(railed(`"1066"`) + ` && document.querySelector("#graph-rail output").textContent === "1066"`)
		b.quiet()
	}
}

// TestAnEntityAsOfATime asks for a time on the page of an entity, and for any again.
func TestAnEntityAsOfATime(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 390)
	b.open(link.Graph)
	b.pick(`.graph-search [name="q"]`, "copper bri")
	b.card("Copper Bridge")
	b.open(link.Entity("") + js[string](b, `document.querySelector("#graph-picture").picture.selected`))
	b.write(sel("as-of")+` [name="as_of"]`, "1700\r")
	b.until(`location.search.includes("as_of=1700") && !!document.querySelector('[data-testid="past"]')`)
	b.fits(390)
	b.click(sel("as-of") + ` a`)
	b.until(`!location.search.includes("as_of=") && !document.querySelector('[data-testid="past"]')`)
	b.open(js[string](b, `location.pathname`) + "?as_of=soon")
	b.until(`!!document.querySelector('[data-testid="as-of"] [role="alert"]')`)
	b.quiet()
}
