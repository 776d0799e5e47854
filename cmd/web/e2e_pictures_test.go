//go:build e2e

package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// manual writes a web page with a picture and its caption.
func manual(t *testing.T) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 {
			m.SetRGBA(x, y, color.RGBA{R: uint8(x), G: uint8(y), B: 120, A: 255})
		}
	}
	var b bytes.Buffer
	noError(t, png.Encode(&b, m))
	name := filepath.Join(t.TempDir(), "pump.html")
	noError(t, os.WriteFile(name, []byte(`<html><head><title>Pump manual</title></head><body><main><h1>Pump manual</h1><p>The pump lifts water from the well to the cistern.</p><figure><img src="data:image/png;base64,`+
		base64.StdEncoding.EncodeToString(b.Bytes())+`" alt="A round housing with two valves"><figcaption>Figure 3: Diagram of the pump housing</figcaption></figure><p>The housing is made of cast iron.</p></main></body></html>`), 0o600))
	return name
}

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
		b.press("Enter")
		b.until(`!!document.querySelector('[data-testid="large"]')`)
		b.until(loaded)
		b.fits(width)
		b.shoot(fmt.Sprint("picture-large-", width))
		b.quiet()
	}
}
