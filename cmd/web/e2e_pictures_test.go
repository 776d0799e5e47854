//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/views/link"
)

// TestPicturesAreShownInTheBrowser asks for a diagram, sees it beside the quotation, and enlarges it with the keyboard.
func TestPicturesAreShownInTheBrowser(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", manual(t))
	if listed := sh.must(t, "documents", "pictures", "pump.html"); !strings.Contains(listed, "Figure 3: Diagram of the pump housing") {
		t.Errorf("the list of pictures is %q", listed)
	}
	base := startOn(t, sh.data)
	const loaded = `[...document.querySelectorAll('img')].length > 0 && [...document.querySelectorAll('img')].every(i => i.complete && i.naturalWidth === 400)`
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Ask)
		b.ask("Show me the diagram of the pump housing")
		b.until(`!!document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"] [data-testid="pictures"]')`)
		b.until(loaded)
		if said := b.text(sel("pictures")); !strings.Contains(said, "Figure 3: Diagram of the pump housing") {
			t.Errorf("beside the picture stands %q", said)
		}
		b.fits(width)
		b.shoot(fmt.Sprint("pictures-answer-", width))
		b.open(link.Documents)
		b.click(sel("document") + " h3 a")
		b.until(`!!document.querySelector('[data-testid="pictures-of"]')`)
		b.click(sel("pictures-of"))
		b.until(`document.querySelectorAll('[data-testid="picture"]').length === 1`)
		b.until(loaded)
		b.fits(width)
		b.shoot(fmt.Sprint("pictures-", width))
		b.until(`(document.querySelector('[data-testid="picture"] a.frame').focus(), true)`)
		b.press(kb.Enter)
		b.until(`!!document.querySelector('[data-testid="large"]')`)
		b.until(loaded)
		b.fits(width)
		b.shoot(fmt.Sprint("picture-large-", width))
		b.quiet()
	}
}

// TestAnImageIsShownInTheBrowser opens the page of an image, and the source of an answer that cites it.
func TestAnImageIsShownInTheBrowser(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", photograph(t))
	base := startOn(t, sh.data)
	loaded := func(within string) string {
		return `(i => !!i && i.complete && i.naturalWidth === 400)(document.querySelector('` + within + ` img'))`
	}
	for _, width := range []int{1280, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Documents)
		b.click(sel("document") + " h3 a")
		b.until(loaded(`[data-testid="photo"]`))
		if b.count(`[data-testid="encoding"]`) > 0 {
			t.Error("an encoding is offered for an image")
		}
		b.fits(width)
		b.shoot(fmt.Sprint("photo-", width))
		b.open(link.Ask)
		b.ask("What does weir.png show?")
		b.until(`!!document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"] [data-testid="cite"]')`)
		b.click(`.turn:last-child [data-testid="cite"]`)
		b.until(loaded(`[data-testid="source"] [data-testid="pictures"]`))
		b.fits(width)
		b.shoot(fmt.Sprint("photo-cited-", width))
		b.quiet()
	}
}
