//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// TestTheGraphIsWalkedThrough does on one library what a person does with the
// graph: search, expand, find a path, merge a proposed pair and undo it, set a
// schema, try it, read again, and export. On a wide screen and on a phone.
func TestTheGraphIsWalkedThrough(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, data := startWithSample(t)
			b := walker{newBrowser(t, base, width), width, map[int]string{1440: "", 390: "-phone"}[width]}
			b.explores()
			b.findsAPath()
			b.opensItAgain()
			b.mergesAndUndoes(data)
			b.narrowsBySchema()
			b.allowsMore()
			b.exports()
			b.quiet()
		})
	}
}

// walker is a browser of a width, and what its pictures end with.
type walker struct {
	*browser
	width  int
	suffix string
}

func (b walker) seen(name string) {
	b.t.Helper()
	b.fits(b.width)
	b.shoot(name + b.suffix)
}

const nodes = `Number(document.querySelector("#graph-picture").dataset.nodes)`

// explores searches for an entity, and expands another one in the table.
func (b walker) explores() {
	b.t.Helper()
	b.open("/graph")
	b.until(pictured)
	if n := b.count(sel("places") + " tbody tr"); n == 0 {
		b.t.Error("the overview has no communities")
	}
	b.seen("graph-overview")
	b.pick(`.graph-search [name="q"]`, "copper bri")
	b.card("Copper Bridge")
	b.t.Logf("%d pixels wide: %d entities in %s ms", b.width, js[int](b.browser, nodes), js[string](b.browser, `document.querySelector("#graph-picture").dataset.took`))
	if b.width == 390 {
		b.isForThumbs()
	}
	b.fits(b.width)

	b.click(sel("steps-1"))
	b.until(pictured + ` && location.search.includes("steps=1")`)
	before := js[int](b.browser, nodes)
	b.click(sel("show-table"))
	b.until(`document.querySelector("[data-explore]").dataset.view === "table" && ` + pictured)
	b.click(sel("nodes") + ` a[aria-label="Expand Henrike Aldous"]`)
	b.until(pictured + ` && location.search.includes("open=") && ` + nodes + ` > ` + strconv.Itoa(before))
	if rows := b.count(sel("nodes") + " tbody tr"); rows != js[int](b.browser, nodes) {
		b.t.Errorf("the table has %d rows, the picture %d entities", rows, js[int](b.browser, nodes))
	}
	b.fits(b.width)
	b.click(sel("show-picture"))
	b.until(`document.querySelector("[data-explore]").dataset.view === "picture" && ` + pictured)
}

// isForThumbs looks at the view around an entity on a phone: one step, with a name at every entity, its card below as wide
// as the screen, and nothing to press that is smaller than a thumb.
func (b walker) isForThumbs() {
	b.t.Helper()
	if b.count(`[data-testid="steps-1"][aria-current="true"]`) != 1 {
		b.t.Error("a phone does not begin with one step")
	}
	b.until(`document.querySelector("#graph-picture").dataset.names === document.querySelector("#graph-picture").dataset.nodes`)
	if !js[bool](b.browser, `((card, picture) => card.width === 390 && card.top >= picture.bottom)(...["#graph-card", "#graph-picture"].map((s) => document.querySelector(s).getBoundingClientRect()))`) {
		b.t.Error("the card does not lie below the picture")
	}
	const small = `JSON.stringify([...document.querySelectorAll(".explore :is(a, button, summary)")].filter((e) => e.checkVisibility())
		.map((e) => [e.textContent.trim() || e.getAttribute("aria-label"), e.getBoundingClientRect()]).filter(([, r]) => r.width < 40 || r.height < 40))`
	if found := js[string](b.browser, small); found != "[]" {
		b.t.Errorf("smaller than 40 pixels: %s", found)
	}
}

func (b walker) findsAPath() {
	b.t.Helper()
	if b.width == 390 {
		b.click("[data-graph-filters]")
	}
	b.pick(`#graph-path [name="to"]`, "velm mut")
	b.until(`(document.querySelector('[data-testid="path-found"]')?.textContent ?? "") !== "" && ` + pictured)
	if found := b.text(sel("path-found")); !strings.Contains(found, "by way of") {
		b.t.Errorf("the path is %q", found)
	}
	if lit := js[int](b.browser, `document.querySelector("#graph-picture").picture.graph.filterEdges((_, a) => a.lit).length`); lit < 2 {
		b.t.Errorf("%d lines of the path are lit", lit)
	}
	if written := js[int](b.browser, `document.querySelector("#graph-picture").picture.names.written.filter(([, , , , , colour]) => colour === getComputedStyle(document.documentElement).getPropertyValue("--thread").trim()).length`); written < map[int]int{1440: 2, 390: 1}[b.width] { // on a phone a wide font leaves room for one
		b.t.Errorf("%d lines of the path say what they are", written)
	}
	b.seen("graph")
}

// opensItAgain opens the address of the view again, and goes back and forward.
func (b walker) opensItAgain() {
	b.t.Helper()
	address, look := js[string](b.browser, `location.pathname + location.search`), b.look()
	b.open(address)
	if again := b.look(); again != look {
		b.t.Errorf("after a reload %s shows\n%s\nbefore it was\n%s", address, again, look)
	}
	b.click(sel("open-around"))
	b.until(pictured + ` && !location.search.includes("to=")`)
	js[any](b.browser, `history.back()`)
	b.until(pictured + ` && location.search.includes("to=")`)
	if again := b.look(); again != look {
		b.t.Errorf("going back shows\n%s\nbefore it was\n%s", again, look)
	}
}

// mergesAndUndoes decides a proposed pair by keyboard.
func (b walker) mergesAndUndoes(data string) {
	b.t.Helper()
	pairs := propose(b.t, data, 2)
	at := func(i int) { b.t.Helper(); b.until(shownPair + ` === ` + quote(string(pairs[i].ID))) }
	b.open("/review")
	at(0)
	b.press("m")
	at(1)
	if said := b.text("#undo"); !strings.Contains(said, "Merged “") {
		b.t.Errorf("after the merge the bar says %q", said)
	}
	b.press("u")
	at(0)
	b.open("/review/changes")
	if said := b.text(sel("changes")); !strings.Contains(said, "Took back: merged") {
		b.t.Errorf("the list of changes says %q", said)
	}
	b.seen("changes")
}

// allRead is true once the documents of the list have been read.
const allRead = `location.pathname === "/w/library/documents" && document.readyState === "complete" && document.querySelectorAll('[data-testid="document"]').length > 0 &&
	!document.querySelector('[data-testid="document"][data-status="waiting"], [data-testid="document"][data-status="working"]')`

// tries has the schema on the page tried.
func (b walker) tries() {
	b.t.Helper()
	b.click(sel("try-schema"))
	b.until(`document.readyState === "complete" && document.querySelectorAll('[data-testid="dry-chunk"]').length === 5`)
	b.until(`[...document.querySelectorAll(".sides .graph-figure")].every((f) => f.scrollWidth <= f.clientWidth)`) // pictures are seen whole
}

// applies has documents read again by the schema on the page.
func (b walker) applies() {
	b.t.Helper()
	b.click(sel("apply-schema"))
	b.until(allRead)
}

// narrowsBySchema sets a strict schema with one label: a dry run says what it
// drops, and reading again drops it.
func (b walker) narrowsBySchema() {
	b.t.Helper()
	b.open("/schema")
	b.click(sel("add-label"))
	b.until(`document.activeElement?.id === "label-name-0"`)
	b.write("#label-name-0", "Place")
	b.click(sel("strict"))
	b.tries()
	if said := b.text(sel("dry-run")); !strings.Contains(said, "Dry run on 5 of") || !strings.Contains(said, "The schema has no label Person.") {
		b.t.Errorf("the dry run says %.300q", said)
	}
	b.seen("dry-run")
	b.applies()
	b.until(`document.querySelectorAll('[data-testid="dropped-count"]').length > 0`)
	b.seen("dropped-counts")
	b.click(sel("dropped-count"))
	b.until(`location.pathname.startsWith("/w/library/documents/")`)
	b.click("#dropped > summary")
	b.until(`document.querySelector('#dropped [data-testid="dropped"]').checkVisibility()`)
	b.seen("dropped")
	b.click(`#dropped a[data-testid="allow"]`)
	b.until(`document.readyState === "complete" && location.pathname === "/w/library/schema" && !!document.querySelector('[data-testid="begun"]')`)
	if said := b.text(sel("begun")); !strings.Contains(said, "The draft allows the label") {
		b.t.Errorf("the draft says %q", said)
	}
}

// allowsMore allows a label that was dropped: it comes back.
func (b walker) allowsMore() {
	b.t.Helper()
	b.open("/schema")
	b.tries()
	dropped := b.text(".sumup tbody tr:last-child td")
	b.click(`details[open] [value$=".label.Person"]`)
	b.until(`document.readyState === "complete" && document.querySelectorAll('[data-testid="label"]').length === 2 && !!document.querySelector('[data-testid="apply-schema"]')`)
	b.applies() // the dry run was repeated
	b.open("/schema")
	b.tries()
	if now := b.text(".sumup tbody tr:last-child td"); now == dropped {
		b.t.Errorf("after a label is allowed, %s items are dropped as before", now)
	}
}

// exports saves what is seen of the graph that was read again.
func (b walker) exports() {
	b.t.Helper()
	b.open("/graph")
	b.pick(`.graph-search [name="q"]`, "henrike")
	b.card("Henrike Aldous")
	b.click(sel("export"))
	file := b.saved(sel("export-graphml") + "[download]")
	text, err := parse.New(parse.Limits{}).Parse(b.t.Context(), "graph", domain.FormatGraph, []byte(file))
	if err != nil || !strings.Contains(text.Content, "Henrike Aldous (Person") {
		b.t.Errorf("the file says %q, %v", text.Content, err)
	}
}
