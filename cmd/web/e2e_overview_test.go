//go:build e2e

package main

import (
	"strconv"
	"testing"
)

// lying lists the names that lie on another name or on a disc that is not theirs.
const lying = `((p) => {
	const boxes = p.names.written.map(([text, x, y, size, , , w]) => ({ text, x1: x - w / 2, x2: x + w / 2, y1: y - size / 2, y2: y + size / 2 }));
	const discs = p.graph.mapNodes((id, a) => {
		const d = p.sigma.getNodeDisplayData(id), q = p.sigma.framedGraphToViewport(d), r = p.sigma.scaleSize(d.size) * 0.8;
		return { text: a.name, x1: q.x - r, x2: q.x + r, y1: q.y - r, y2: q.y + r };
	});
	const on = (a, b) => a.x1 < b.x2 && a.x2 > b.x1 && a.y1 < b.y2 && a.y2 > b.y1;
	const bad = [];
	for (const [i, a] of boxes.entries()) {
		for (const b of boxes.slice(i + 1)) if (on(a, b)) bad.push(a.text + " on " + b.text);
		for (const d of discs) if (on(a, d) && d.text !== a.text) bad.push(a.text + " on the disc of " + d.text);
	}
	return bad.join("; ");
})(document.querySelector("#graph-picture").picture)`

const weakLines = `document.querySelector("#graph-picture").picture.graph.filterEdges((_, a) => a.weak).length`

// TestTheOverviewNamesItsRegions looks at the communities of the sample library, folds and
// unfolds what stands alone, and switches off what is only mentioned together.
func TestTheOverviewNamesItsRegions(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			b := newBrowser(t, base, width)
			b.open("/graph")
			if b.count(sel("first-picture")+" path.region") == 0 {
				t.Error("the page has no regions before its script has drawn them")
			}
			b.until(pictured)
			b.fits(width)
			b.shoot("overview-" + strconv.Itoa(width))
			b.regions(width)
			if bad := js[string](b, lying); bad != "" {
				t.Errorf("names lie on something: %s", bad)
			}
			js[any](b, `document.documentElement.dataset.theme = "dark"; document.getAnimations().forEach((a) => a.finish())`)
			b.settle()
			b.shoot("overview-dark-" + strconv.Itoa(width))
			js[any](b, `delete document.documentElement.dataset.theme`)

			if b.count(sel("apart")) != 1 || b.count(sel("list-apart")) != 1 {
				t.Fatal("names without a relation are not folded into a line")
			}
			js[any](b, `document.querySelector('[data-testid="list-apart"]').click()`)
			b.until(pictured + ` && location.search.includes("in=") && document.querySelector("[data-explore]").dataset.view === "table"`)
			if b.count(sel("nodes")+" tbody tr") == 0 || b.count(sel("relations")) != 0 {
				t.Error("the list of names without a relation is empty, or has relations")
			}
			b.open("/graph")
			b.until(pictured)
			b.switchesMentions(width)
			b.quiet()
		})
	}
}

// regions checks that every region is named and its neighbours have other tints.
func (b *browser) regions(width int) {
	b.t.Helper()
	places := js[int](b, `document.querySelector("#graph-picture").picture.data.places.length`)
	titles := js[int](b, `document.querySelector("#graph-picture").picture.names.written.filter((w) => w[7]).length`)
	least := places
	if width == 390 {
		least = places / 2
	}
	if places < 3 || titles < least {
		b.t.Errorf("%d of %d regions are named", titles, places)
	}
	if tints := js[int](b, `new Set(document.querySelector("#graph-picture").picture.data.places.map((p) => p.tint)).size`); tints < 3 {
		b.t.Errorf("%d tints", tints)
	}
	if names := js[int](b, `document.querySelector("#graph-picture").picture.names.shown`); names < 2*places && width == 1440 {
		b.t.Errorf("%d names are written for %d regions", names, places)
	}
	if width == 1440 && b.count(sel("communities")+" li") != min(places, 16) {
		b.t.Errorf("%d communities are listed beside %d", b.count(sel("communities")+" li"), places)
	}
}

// switchesMentions switches off the lines between names that are only mentioned together,
// and opens the passages of two such names.
func (b *browser) switchesMentions(width int) {
	b.t.Helper()
	if width == 390 {
		b.click(`[data-graph-filters]`)
	}
	weak := js[int](b, weakLines)
	if weak == 0 {
		b.t.Fatal("the overview has no weak edges")
	}
	b.click(sel("types") + " > summary")
	b.click(sel("mentions"))
	b.until(pictured + ` && location.search.includes("mentions=off") && ` + weakLines + ` === 0`)
	b.open(js[string](b, `location.pathname + location.search`))
	b.until(pictured)
	if left := js[int](b, weakLines); left != 0 {
		b.t.Errorf("%d weak edges after a reload", left)
	}
	if width == 390 {
		b.click(`[data-graph-filters]`)
	}
	b.click(sel("mentions"))
	b.until(pictured + ` && !location.search.includes("mentions=off") && ` + weakLines + ` === ` + strconv.Itoa(weak) + ` && document.querySelector('[data-testid="mentions"]').checkVisibility()`)

	one := js[string](b, `((g) => g.source(g.filterEdges((_, a) => a.weak)[0]))(document.querySelector("#graph-picture").picture.graph)`)
	b.open("/graph?at=" + one)
	b.until(pictured + ` && !!document.querySelector('[data-testid="card-together"]')`)
	js[any](b, `document.querySelector('[data-testid="card-together"] [data-with]').click()`)
	b.until(`!!document.querySelector('[data-testid="pair-joined"]') && location.search.includes("with=")`)
	if said := b.text(sel("pair-joined")); said == "" || b.count("#graph-card blockquote mark") == 0 {
		b.t.Errorf("the card of two names says %q, with %d marks", said, b.count("#graph-card blockquote mark"))
	}
	b.fits(width)
	b.shoot("pair-" + strconv.Itoa(width))
}
