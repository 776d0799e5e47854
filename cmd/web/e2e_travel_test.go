//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
)

// TestTravellingThroughARun asks what the sample does not say and goes back to
// where the question was reworded for the second time.
func TestTravellingThroughARun(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	b.ask("Which zebra galloped over the glacier?")
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	a := stored(t, data)
	runs, err := a.queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Kind: "answer", Status: []job.Status{job.Done}})
	noError(t, err)
	if len(runs) != 1 {
		t.Fatalf("%d answers are done", len(runs))
	}
	page := "/runs/" + string(runs[0].ID)
	b.open(page)
	step := `document.querySelector("[data-travel]").dataset.step`
	last := js[string](b, `document.querySelector("[data-travel]").dataset.last`)
	b.press(kb.Home)
	b.until(step + ` === "0"`)
	for range 2 {
		b.press(kb.ArrowRight)
	}
	b.until(step + ` === "2"`)
	b.click(`[data-stop="6"]`)
	b.until(step + ` === "6"`)
	if changed := squeeze(b.text(`[data-field="loop_count"] .rewrite`)); changed != "1 2" {
		t.Errorf("after the second rewording it says %q", changed)
	}
	if at := js[string](b, `location.pathname + location.search`); at != page+"?step=6" {
		t.Errorf("the address is %s", at)
	}
	lit := js[int](b, `document.querySelectorAll('[data-travel] [data-testid="node"][data-state="seen"]').length`)
	b.shoot("run-travel")
	b.press(kb.End)
	b.until(step + ` === "` + last + `"`)
	if all := js[int](b, `document.querySelectorAll('[data-travel] [data-testid="node"][data-state="seen"]').length`); all <= lit {
		t.Errorf("%d nodes are lit at step 6 and %d at the end", lit, all)
	}
	b.click(`[data-play="4"]`)
	b.until(step + ` === "` + last + `" || Number(` + step + `) < 3`)
	b.until(step + ` === "` + last + `"`)
	phone := newBrowser(t, base, 390)
	phone.open(page + "?step=6")
	if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide on a screen of 390", wide)
	}
	if text := phone.text(`[data-testid="state"]`); !strings.Contains(text, "transform_query") {
		t.Errorf("the phone shows %q", text)
	}
	phone.quiet()
	b.quiet()
}
