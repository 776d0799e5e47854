//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestPlacesInTheBrowser adds a table, a transcript and a file of code, looks at
// them as such, and asks for what stands in a row and at a time.
func TestPlacesInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := start(t)
	var rows strings.Builder
	rows.WriteString("Foundry,Founded,Founder\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "Foundry %d,%d,Anna Quill the %d\n", i+2, 1800+i, i+2)
	}
	rows.WriteString("Carrow Foundry,1871,Maud Ferring\n")
	files := map[string]string{
		"foundries.csv": rows.String(),
		"talk.srt":      "1\n00:12:03,000 --> 00:12:06,000\nThe Orrin Lighthouse was built\n\n2\n00:12:06,000 --> 00:12:09,000\nby Tobias Quennell in 1820.\n",
		"bridge.go":     "package bridge\n\n// Span returns the length of the Velm Bridge in metres.\nfunc Span() int {\n\treturn 120\n}\n",
	}
	b := newBrowser(t, base, 1440)
	b.open("/documents")
	for name, content := range files {
		b.drop(name, content)
		b.until(`document.readyState === "complete" && ["ready", "empty"].includes(document.querySelector('[data-testid="document"][data-name="` + name + `"]')?.dataset.status)`)
	}
	shown := map[string]string{
		"foundries.csv": `document.querySelector(".rows th").textContent === "1" && document.querySelectorAll(".rows tr").length === 42 && document.querySelectorAll(".rows tr:last-child td")[2].textContent.trim() === "Maud Ferring"`,
		"talk.srt":      `document.querySelector(".page-mark").textContent.trim() === "00:12:03"`,
		"bridge.go":     `[...document.querySelectorAll(".rows.code th")].map(n => n.textContent).join() === "1,3,4,5,6"`,
	}
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		for name := range files {
			b.open("/documents")
			b.click(`[data-testid="document"][data-name="` + name + `"] h3 a`)
			b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="text"]')`)
			if !js[bool](b, shown[name]) {
				t.Errorf("%s at %d px: %s", name, width, b.text(sel("text")))
			}
			b.fits(width)
			b.shoot(fmt.Sprint("place-", strings.ReplaceAll(name, ".", "-"), "-", width))
		}
		for question, place := range map[string]string{"Who founded the Carrow Foundry?": "foundries.csv, Row 42", "Who built the Orrin Lighthouse?": "talk.srt, 00:12:03"} {
			b.open(link.Ask)
			b.ask(question)
			b.until(`document.querySelector('[data-testid="answer"]:last-of-type')?.dataset.status === "done"`)
			if said := b.text("main"); !strings.Contains(said, place) {
				t.Errorf("the answer at %d px does not say %q: %s", width, place, said)
			}
			b.shoot(fmt.Sprint("cited-", strings.Fields(place)[0], "-", width))
		}
	}
}
