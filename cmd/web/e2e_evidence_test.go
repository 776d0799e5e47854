//go:build e2e

package main

import (
	"strings"
	"testing"
)

// TestAnAnswerLeadsIntoTheGraph asks, looks at the part of the graph that the
// evidence came from, and opens it in the explorer.
func TestAnAnswerLeadsIntoTheGraph(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		suffix := map[int]string{1440: "", 390: "-phone"}[width]
		b.open("/ask")
		b.ask("Who designed Copper Bridge?")
		b.until(`document.querySelector('[data-testid="turn"]')?.dataset.status === "done" || document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
		b.click(sel("in-graph") + " > summary")
		b.until(`!!document.querySelector('.turn [data-testid="graph-picture"]')`)
		b.fits(width)
		if cut := js[bool](b, `((f) => f.scrollWidth > f.clientWidth)(document.querySelector('.turn [data-testid="graph-picture"]'))`); cut {
			t.Errorf("at %d the picture is cut", width)
		}
		b.shoot("answer-graph" + suffix)
		names := js[string](b, `[...document.querySelectorAll('.turn [data-testid="graph-picture"] text')].map(t => t.textContent).join("|")`)
		if !strings.Contains(names, "Copper Bridge") {
			t.Errorf("the picture names %s", names)
		}
		b.click(`.turn [data-testid="graph-picture"] a`)
		b.until(pictured + ` && location.search.includes("answer=")`)
		for name := range strings.SplitSeq(names, "|") {
			if !js[bool](b, `document.querySelector("#graph-picture").picture.ranked.some(a => a.name === `+quote(name)+`)`) {
				t.Errorf("the explorer has no %s", name)
			}
		}
		b.fits(width)
		b.shoot("graph-evidence" + suffix)
		b.quiet()
	}
}

// saved returns the file that a link leads to, as the page would save it.
func (b *browser) saved(link string) string {
	b.t.Helper()
	js[any](b, `window.savedFile = null, fetch(document.querySelector(`+quote(link)+`).href).then(async (r) => {
		window.savedFile = { as: r.headers.get("Content-Disposition"), text: await r.text() };
	}), 0`)
	b.until(`!!window.savedFile`)
	if as := js[string](b, `window.savedFile.as`); !strings.HasPrefix(as, "attachment; filename=") {
		b.t.Errorf("the file is sent as %q", as)
	}
	return js[string](b, `window.savedFile.text`)
}
