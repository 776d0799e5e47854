//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestAPersonChoosesAndReplays asks with both options, drops a passage and adds
// one that the search box finds, gives a hint where nothing is found, and replays
// an answer, wide and on a phone.
func TestAPersonChoosesAndReplays(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, base, width)
			b.open("/ask")
			b.click(sel("options"))
			b.click(sel("review"))
			b.shoot(fmt.Sprintf("ask-options-%d", width))
			b.press(kb.Escape)
			b.ask("Who founded the Carrow Foundry?")
			b.until(`!!document.querySelector('[data-testid="write"]')`)
			ticked := `document.querySelectorAll('[data-testid="use"]:checked').length`
			before := js[int](b, ticked)
			if before == 0 {
				t.Fatal("nothing is ticked")
			}
			b.click(sel("use"))
			b.write(sel("find"), "bells\r")
			b.until(`document.querySelectorAll('[id^="found-"] [data-testid="use"]').length > 0`)
			b.click(`[id^="found-"] ` + sel("use"))
			if after := js[int](b, ticked); after != before {
				t.Errorf("%d passages are ticked, %d were", after, before)
			}
			b.fits(width)
			b.shoot(fmt.Sprintf("ask-choose-%d", width))
			b.click(sel("write"))
			b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
			js[any](b, `document.querySelector('[data-testid="turn"]:last-child [data-testid="more"]').scrollIntoView({ block: "center" })`)
			b.click(`[data-testid="turn"]:last-child ` + sel("more"))
			b.click(`[data-testid="turn"]:last-child ` + sel("open-run"))
			b.click(sel("run-menu"))
			b.click(sel("replay-run"))
			b.until(`document.querySelector('[data-testid="replay"]')?.dataset.state === "seen"`)
			if said := b.text(sel("replay")); !strings.Contains(said, "did the same") || b.count(`[data-mark="differs"]`) != 0 {
				t.Errorf("the replay says %s", squeeze(said))
			}
			b.fits(width)
			b.shoot(fmt.Sprintf("run-replay-%d", width))
			b.open("/ask")
			b.click(sel("options"))
			b.click(sel("ask-hint"))
			b.press(kb.Escape)
			b.ask("Which zebra galloped over the glacier?")
			b.until(`!!document.querySelector('[data-testid="hint"]')`)
			b.shoot(fmt.Sprintf("ask-hint-%d", width))
			b.fits(width)
			b.write(sel("hint"), "Carrow Foundry\r")
			b.until(`!!document.querySelector('[data-testid="write"]') && document.querySelector('#trace [data-testid="node"][data-node="ask_person"]')?.dataset.times === "2"`)
			b.click(sel("write"))
			b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
			b.quiet()
		})
	}
}
