//go:build e2e

package main

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestTheRailComesWhenARunEnds watches a run to its end, where its page gets the
// rail by itself and the focus stays.
func TestTheRailComesWhenARunEnds(t *testing.T) {
	t.Parallel()
	a := drafter{make(chan struct{}), make(chan struct{}), bells(12, 19, 31)}
	b, phone := charting(t, a)
	b.until(`!!document.querySelector('.trace h2 a')`)
	page := js[string](b, `document.querySelector('.trace h2 a').getAttribute("href")`)
	for _, live := range []*browser{b, phone} {
		live.open(page)
		live.until(`!!document.querySelector("main.run[data-live^='/w/library/runs']") && !document.querySelector("[data-travel]")`)
	}
	js[any](b, `document.querySelector(".crumb a").focus()`)
	close(a.write)
	close(a.specify)
	for _, live := range []*browser{b, phone} {
		live.until(`!!document.querySelector("[data-travel]") && !document.querySelector("[data-until-end]") && !document.querySelector("[data-testid=stop]")`)
		if live.count(sel("replay-run")) != 1 || live.count(sel("export-file")) != 1 {
			t.Error("the run can't be replayed or exported before its page is loaded again")
		}
	}
	if !js[bool](b, `document.activeElement === document.querySelector(".crumb a")`) {
		t.Errorf("the focus is at %q", js[string](b, `document.activeElement.textContent`))
	}
	last := js[string](b, `document.querySelector("[data-travel]").dataset.last`)
	b.press(kb.ArrowLeft)
	b.until(`document.querySelector("[data-travel]").dataset.step !== "` + last + `"`)
	if drawings := js[int](b, `document.querySelectorAll("svg.tg.pl").length`); drawings != 1 || b.count(`[data-testid="step"]`) < 5 {
		t.Errorf("the page has %d drawings and %d steps", drawings, b.count(`[data-testid="step"]`))
	}
	phone.fits(390)
	b.quiet()
	phone.quiet()
}
