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
		b.click(`.top .menu-list a[href="/w/library/health"]`)
		b.until(`location.pathname === "/w/library/health"`)
	}
	b.quiet()
}
