//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestARunIsCarriedAway watches a run to its end, where its page gets the rail
// by itself, and opens its file in an empty installation.
func TestARunIsCarriedAway(t *testing.T) {
	t.Parallel()
	a := drafter{make(chan struct{}), make(chan struct{}), bells(12, 19, 31)}
	b, phone := charting(t, a)
	b.until(`!!document.querySelector('.trace h2 a')`)
	page := js[string](b, `document.querySelector('.trace h2 a').getAttribute("href")`)
	for _, live := range []*browser{b, phone} {
		live.open(page)
		live.until(`!!document.querySelector("main.run[data-live^='/runs']") && !document.querySelector("[data-travel]")`)
	}
	js[any](b, `document.querySelector(".crumb a").focus()`)
	close(a.write)
	close(a.specify)
	for _, live := range []*browser{b, phone} {
		live.until(`!!document.querySelector("[data-travel]") && !document.querySelector("[data-until-end]") && !document.querySelector("[data-testid=stop]")`)
	}
	if at := js[string](b, `document.activeElement.textContent`); at != "Runs" {
		t.Errorf("the focus is at %q", at)
	}
	last := js[string](b, `document.querySelector("[data-travel]").dataset.last`)
	b.press(kb.ArrowLeft)
	b.until(`document.querySelector("[data-travel]").dataset.step !== "` + last + `"`)
	if drawings := js[int](b, `document.querySelectorAll("svg.tg").length`); drawings != 1 || b.count(`[data-testid="step"]`) < 5 {
		t.Errorf("the page has %d drawings and %d steps", drawings, b.count(`[data-testid="step"]`))
	}
	phone.fits(390)
	b.open(page)
	js[any](b, `void fetch(document.querySelector("[data-testid=export-text]").href).then(async (r) => { window.file = await r.text(); })`)
	b.until(`!!window.file`)
	file := js[string](b, `window.file`)
	b.open("/runs?kind=answer&q=chart")
	b.shoot("runs-narrowed")
	phone.open("/runs?kind=answer&cap=1&q=chart")
	phone.fits(390)

	there, _ := start(t)
	for _, width := range []int{1440, 390} {
		c := newBrowser(t, there, width)
		c.open("/runs")
		js[any](c, `(() => {
			const chosen = new DataTransfer();
			chosen.items.add(new File([`+quote(file)+`], "run.clewrun.json"));
			const field = document.querySelector('[data-testid="import"] input');
			field.files = chosen.files;
			field.dispatchEvent(new Event("change", { bubbles: true }));
		})()`)
		c.until(`location.pathname.startsWith("/runs/run") && !!document.querySelector("[data-travel]")`)
		if text := c.text("main"); !strings.Contains(text, "Chart the bells") || !strings.Contains(text, "imported") {
			t.Errorf("the imported run says %.300s", text)
		}
		c.press(kb.Home)
		c.until(`document.querySelector("[data-travel]").dataset.step === "0"`)
		c.shoot("run-imported")
		c.fits(width)
		if width == 390 {
			c.click(`[data-testid="delete-run"]`)
			c.until(`location.pathname === "/runs"`)
		}
		c.quiet()
	}
	b.quiet()
	phone.quiet()
}
