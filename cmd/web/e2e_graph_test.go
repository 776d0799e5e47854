//go:build e2e

package main

import (
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

// TestTheGraphByKeyboard uses nothing but keys.
func TestTheGraphByKeyboard(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/graph")
	b.until(pictured)
	b.press("/")
	b.until(`document.activeElement?.name === "q"`)
	b.write(`.graph-search [name="q"]`, "carrow")
	b.until(`document.querySelector('.combo-list:not([hidden])')?.dataset.text === document.activeElement.value.trim() && document.activeElement.value.includes("carrow") && document.querySelectorAll('.combo-list:not([hidden]) [data-id]').length > 1`)
	second := js[string](b, `document.querySelectorAll('.combo-list:not([hidden]) [data-id]')[1].dataset.name`)
	b.press(kb.ArrowDown)
	b.press("\r")
	b.card(second)
	b.until(`document.activeElement?.id === "graph-picture"`)

	b.pick(`.graph-search [name="q"]`, "copper bri")
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
