//go:build e2e

package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestTheMenuHoldsAtEveryWidth looks for Settings and Health with a model set,
// when no notice leads there.
func TestTheMenuHoldsAtEveryWidth(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	base, _ := startWithSample(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool")
	b := newBrowser(t, base, 1440)
	for _, width := range []int{320, 390, 719, 720, 800, 959, 960, 1199, 1440} {
		b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(int64(width), 900)))
		b.open("/runs")
		b.settle()
		b.fits(width)
		js[any](b, `document.querySelector(".top .menu > summary")?.focus()`)
		b.press("\r")
		for _, path := range []string{"/settings", "/health", "/review", "/documents", "/runs"} {
			if !js[bool](b, `[...document.querySelectorAll('.top a[href="`+library(path)+`"]')].some(a => a.checkVisibility() && a.getBoundingClientRect().right <= innerWidth)`) {
				t.Errorf("%d pixels wide, the bar does not lead to %s", width, path)
			}
		}
		b.fits(width)
		b.press(kb.Escape)
		b.until(`!document.querySelector(".top .menu").open && document.activeElement.matches("summary")`)
		b.press("\r")
		b.press(kb.ArrowDown + kb.ArrowDown + kb.ArrowUp)
		if first := js[bool](b, `document.activeElement === [...document.querySelectorAll(".top .menu-list a, .top .menu-list button")].find((e) => e.checkVisibility())`); !first {
			t.Errorf("%d pixels wide, arrows lead to %s", width, js[string](b, `document.activeElement.outerHTML`))
		}
		b.click(`.top .menu-list a[href="/w/library/health"]`)
		b.until(`location.pathname === "/w/library/health"`)
	}
	b.quiet()
}

// TestSortingKeepsTheFocus chooses an order by the arrow keys, each of which sorts at once.
func TestSortingKeepsTheFocus(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/documents")
	b.settle()
	js[any](b, `document.querySelector("select[name=sort]").focus()`)
	for _, sorted := range []string{"added", "name"} {
		b.press(kb.ArrowDown)
		b.until(`new URLSearchParams(location.search).get("sort") === "` + sorted + `" && document.querySelector('[data-testid="views"] a').search.includes("sort=` + sorted + `")`)
		if at := js[string](b, `document.activeElement.name`); at != "sort" {
			t.Errorf("sorted by %s, the focus is on %q", sorted, at)
		}
	}
	b.quiet()
}
