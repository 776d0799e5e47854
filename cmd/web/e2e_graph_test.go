//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// pictured is true once the explorer has drawn the view of the address.
const pictured = `document.querySelector("#graph-picture")?.dataset.state === "ready"`

// pick types into a search field that completes and takes its first
// suggestion for all of the text.
func (b *browser) pick(field, text string) {
	b.t.Helper()
	b.until(pictured)
	js[any](b, `(f => { f.value = ""; f.focus() })(document.querySelector(`+quote(field)+`))`)
	b.write(field, text)
	b.until(quote(text) + `.split(" ").every((word) => (document.querySelector('.combo-list:not([hidden]) [data-id][aria-selected="true"]')?.textContent ?? "").toLowerCase().includes(word.toLowerCase()))`)
	b.press("\r")
}

// card waits for the card of an entity.
func (b *browser) card(name string) {
	b.t.Helper()
	b.until(`document.querySelector("[data-explore]").dataset.card === "true" && document.querySelector('[data-testid="card-name"]')?.textContent === ` + quote(name) + ` && ` + pictured)
}

// look returns the picture's entities with their positions, its lines, and what
// is chosen.
func (b *browser) look() string {
	b.t.Helper()
	b.until(pictured)
	return js[string](b, `((p) => JSON.stringify([p.graph.mapNodes((id, a) => [id, a.x, a.y]).sort(), p.graph.mapEdges((_, a, x, y) => [x, y, a.text, a.lit]).sort(), p.selected]))(document.querySelector("#graph-picture").picture)`)
}

func TestTheGraphIsExplored(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		suffix := map[int]string{1440: "", 390: "-phone"}[width]
		b.open("/graph")
		b.until(pictured)
		if n := b.count(sel("places") + " tbody tr"); n == 0 {
			t.Error("the overview has no communities")
		}
		b.fits(width)
		b.shoot("graph-overview" + suffix)

		b.pick(`.graph-search input`, "copper bri")
		b.card("Copper Bridge")
		nodes := `Number(document.querySelector("#graph-picture").dataset.nodes)`
		before := js[int](b, nodes)
		t.Logf("%d pixels wide: %d entities in %s ms", width, before, js[string](b, `document.querySelector("#graph-picture").dataset.took`))
		if width == 390 && b.count(`[data-testid="steps-1"][aria-current="true"]`) != 1 {
			t.Error("a phone does not begin with one step")
		}
		b.fits(width)

		b.click(sel("steps-1"))
		b.until(pictured + ` && location.search.includes("steps=1")`)
		before = js[int](b, nodes)
		b.click(sel("show-table"))
		b.until(`document.querySelector("[data-explore]").dataset.view === "table" && ` + pictured)
		b.click(sel("nodes") + ` a[aria-label="Expand Henrike Aldous"]`)
		b.until(pictured + ` && location.search.includes("open=") && ` + nodes + ` > ` + strconv.Itoa(before))
		if rows := b.count(sel("nodes") + " tbody tr"); rows != js[int](b, nodes) {
			t.Errorf("the table has %d rows, the picture %d entities", rows, js[int](b, nodes))
		}
		b.fits(width)
		b.click(sel("show-picture"))
		b.until(`document.querySelector("[data-explore]").dataset.view === "picture" && ` + pictured)

		if width == 390 {
			b.click("[data-graph-filters]")
		}
		b.pick(`#graph-path [name="to"]`, "velm mut")
		b.until(`(document.querySelector('[data-testid="path-found"]')?.textContent ?? "") !== "" && ` + pictured)
		if found := b.text(sel("path-found")); !strings.Contains(found, "by way of") {
			t.Errorf("the path is %q", found)
		}
		if lit := js[int](b, `document.querySelector("#graph-picture").picture.graph.filterEdges((_, a) => a.lit).length`); lit < 2 {
			t.Errorf("%d lines of the path are lit", lit)
		}
		b.fits(width)
		b.shoot("graph" + suffix)
		deepLink(t, b)
		b.quiet()
	}
}

// deepLink opens the address of the view again, and goes back and forward.
func deepLink(t *testing.T, b *browser) {
	t.Helper()
	address, look := js[string](b, `location.pathname + location.search`), b.look()
	b.open(address)
	if again := b.look(); again != look {
		t.Errorf("after a reload %s shows\n%s\nbefore it was\n%s", address, again, look)
	}
	b.click(sel("open-around"))
	b.until(pictured + ` && !location.search.includes("to=")`)
	js[any](b, `history.back()`)
	b.until(pictured + ` && location.search.includes("to=")`)
	if again := b.look(); again != look {
		t.Errorf("going back shows\n%s\nbefore it was\n%s", again, look)
	}
}

// TestTheGraphByKeyboard uses nothing but keys.
func TestTheGraphByKeyboard(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/graph")
	b.until(pictured)
	b.press("/")
	b.until(`document.activeElement?.name === "q"`)
	b.write(`.graph-search input`, "carrow")
	b.until(`document.querySelectorAll('.combo-list:not([hidden]) [data-id]').length > 1`)
	second := js[string](b, `document.querySelectorAll('.combo-list:not([hidden]) [data-id]')[1].dataset.name`)
	b.press(kb.ArrowDown)
	b.press("\r")
	b.card(second)
	b.until(`document.activeElement?.id === "graph-picture"`)

	b.pick(`.graph-search input`, "copper bri")
	b.card("Copper Bridge")
	b.press("2")
	b.until(pictured + ` && location.search.includes("steps=2")`)
	js[any](b, `document.querySelector("#graph-picture").focus()`)
	b.press(kb.ArrowRight)
	b.until(`(s => s !== "" && s !== new URLSearchParams(location.search).get("at"))(document.querySelector("#graph-picture").picture.selected)`)
	b.until(`document.querySelector("#graph-said").textContent.includes("relations")`)
	chosen := js[string](b, `document.querySelector("#graph-picture").picture.selected`)
	b.press("\r")
	b.until(pictured + ` && location.search.includes("open=` + chosen + `")`)
	b.press("u")
	b.until(pictured + ` && !location.search.includes("open=")`)
	b.press("h")
	b.until(pictured + ` && location.search.includes("hide=` + chosen + `")`)
	b.press("t")
	b.until(pictured + ` && document.querySelector("[data-explore]").dataset.view === "table"`)
	if b.count(sel("nodes")+` tr[data-id="`+chosen+`"]`) != 0 {
		t.Error("a hidden entity is in the table")
	}
	b.press("t")
	b.until(pictured + ` && document.querySelector("[data-explore]").dataset.view === "picture"`)
	b.press("?")
	b.until(`document.querySelector("#graph-keys").open`)
	b.press("\r") // the dialog's button has the focus
	b.until(`!document.querySelector("#graph-keys").open`)

	b.open("/graph")
	b.until(pictured)
	js[any](b, `document.querySelector("#graph-picture").focus()`)
	b.press(kb.ArrowRight)
	b.press("\r")
	b.until(pictured + ` && location.search.includes("in=")`)
	b.quiet()
}
