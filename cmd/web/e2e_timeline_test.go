//go:build e2e

package main

import (
	"fmt"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestATimelineInTheBrowser goes from the list of documents to the timeline, narrows it, and follows an event to its place.
func TestATimelineInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Documents)
		b.click(sel("timeline-link"))
		b.until(`document.querySelectorAll('[data-testid="timeline"] li').length > 20`)
		b.fits(width)
		b.shoot(fmt.Sprint("timeline-", width))
		b.write(`main input[name="words"]`, "fire")
		b.write(`main input[name="since"]`, "1888")
		b.write(`main input[name="until"]`, "1888-11\r")
		b.until(`location.search.includes("since=1888") && document.querySelector('[data-testid="timeline"]')?.textContent.includes("9 November 1888")`)
		if n := b.count(`[data-testid="timeline"] section`); n != 1 {
			t.Errorf("%d years are listed, want 1888", n)
		}
		b.fits(width)
		b.click(`[data-testid="timeline"] li a`)
		b.until(`/\/documents\/d/.test(location.pathname) && !!document.querySelector('[data-testid="hit"], mark.on')`)
		b.click(sel("timeline-of"))
		b.until(`location.pathname.endsWith("/timeline") && location.search.includes("within=doc")`)
		b.open(link.Timeline + "?since=soon")
		b.until(`document.querySelector("main").textContent.includes("is not a date")`)
		b.quiet("422")
	}
}
