//go:build e2e

package main

import (
	"strconv"
	"testing"
)

// TestAFreshMissShowsItsBestPassage asks what the library does not say, as a first question and as a later one: the
// question and the passage that comes nearest are in sight when the answer is there.
func TestAFreshMissShowsItsBestPassage(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, base, width)
			b.open("/ask")
			for _, question := range []string{"Who composed the opera The Magic Flute?", "Where was the opera The Magic Flute composed?"} {
				b.ask(question)
				b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"] [data-testid="nearest"] blockquote')`)
				b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
				for _, part := range []string{".question", "[data-testid=nearest] blockquote"} {
					b.until(`((box, part) => part.top >= box.top - 1 && part.top < Math.min(box.bottom, innerHeight))(
						...[document.querySelector("[data-scroll]"), document.querySelector(".turn:last-child ` + part + `")].map((e) => e.getBoundingClientRect()))`)
				}
				b.shoot("miss-fresh-" + strconv.Itoa(width))
			}
			b.quiet()
		})
	}
}
