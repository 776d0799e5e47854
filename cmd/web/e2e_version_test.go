//go:build e2e

package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/views/link"
)

// guideOf returns a file of three passages, of which the first says by whom, and the last when.
func guideOf(walkers string, year int) string {
	return "Henrike Aldous designed Copper Bridge for " + walkers + ". It was drawn at a desk in Osterby, in one winter, without a single ruler.\n\n" +
		"Maud Ferring kept the toll of the bridge for thirty years. She counted carts, cows and every pair of boots that went over it.\n\n" +
		"Anna Quill opened the bridge to carriages in " + strconv.Itoa(year) + ". Forty bullocks were driven across before any person of quality would follow.\n"
}

// TestANewVersionIsReadBesideTheOldOne asks, sends the changed file, sees its version read beside
// the present one and taken over, compares them by words, and follows the old citation to the
// version it quotes: on a wide screen and, with a third version, on a phone.
func TestANewVersionIsReadBesideTheOldOne(t *testing.T) {
	t.Parallel()
	model, gate := llmtest.New(t), make(chan chan struct{}, 1)
	open := make(chan struct{})
	close(open)
	gate <- open
	reading := llmtest.Tool("knowledge_graph")
	model.On(reading, llmtest.Compute(func(llmtest.Request) llmtest.Reply {
		now := <-gate
		gate <- now
		return llmtest.Call("knowledge_graph", map[string]any{"nodes": []map[string]any{{"id": "Copper Bridge", "label": "Bridge", "properties": []any{}}}, "relationships": []any{}}).After(now)
	}))
	script(model, open, open, open)
	base, _ := start(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool", "CHUNK_TOKENS=32", "EXTRACT_WINDOW=0")
	const row, name = `[data-testid="document"]`, "guide.txt"
	b := newBrowser(t, base, 1440)
	b.open(link.Documents)
	b.drop(name, guideOf("foot passengers", 1868))
	b.until(`document.querySelector('` + row + `')?.dataset.status === "ready"`)
	b.click(row + ` h3 a`)
	b.until(`document.readyState === "complete" && location.pathname.startsWith("/w/library/documents/")`)
	document := js[string](b, `location.pathname`)
	b.open(link.Ask)
	b.ask("Who designed Copper Bridge?")
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done" && !!document.querySelector('[data-testid="cite"]')`)
	answer := js[string](b, `location.pathname`)

	for n, next := range []string{guideOf("horses", 1868), guideOf("horses", 1869)} {
		width, version := []int{1440, 390}[n], n+2
		b := newBrowser(t, base, width)
		calls, shut := model.Calls(reading), make(chan struct{})
		<-gate
		gate <- shut
		b.open(link.Documents)
		b.drop(name, next)
		b.until(`document.querySelectorAll('` + row + `').length === 2 && !!document.querySelector('` + row + `[data-status="working"] [data-testid="next-version"]')`)
		b.fits(width)
		b.shoot("version-beside-" + strconv.Itoa(width))
		b.open(document)
		if said := b.text(sel("text")); strings.Contains(said, "1869") || strings.Contains(said, "horses") != (n > 0) {
			t.Errorf("while its next version is read, the document says %q", said)
		}
		b.open(link.Documents)
		b.click(row + `[data-status="working"] h3 a`)
		b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="next-of"]')`)
		b.fits(width)
		b.shoot("version-next-" + strconv.Itoa(width))
		close(shut)
		b.until(`document.readyState === "complete" && location.pathname === ` + quote(document) + ` && document.querySelectorAll('[data-testid="compare-version"]').length === ` + strconv.Itoa(version-1))
		if n := model.Calls(reading) - calls; n != 1 {
			t.Errorf("version %d cost %d calls, and one of three passages differs", version, n)
		}
		b.fits(width)
		b.shoot("versions-" + strconv.Itoa(width))
		b.click(sel("compare-version"))
		b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="version-diff"]')`)
		was, is := []string{"foot passengers.", "1868."}[n], []string{"horses.", "1869."}[n]
		if gone, came := squeeze(b.text(sel("version-diff")+" del")), squeeze(b.text(sel("version-diff")+" ins")); gone != was || came != is {
			t.Errorf("from version %d, %q went and %q came, want %q and %q", version-1, gone, came, was, is)
		}
		b.fits(width)
		b.shoot("version-diff-" + strconv.Itoa(width))
		b.open(answer)
		b.click(sel("cite"))
		b.until(`!!document.querySelector('[data-testid="source"] [data-testid="changed-since"]')`)
		if marked := squeeze(b.text(sel("hit"))); !strings.Contains(marked, "for foot passengers.") {
			t.Errorf("the old answer quotes %q", marked)
		}
		b.fits(width)
		b.shoot("version-quoted-" + strconv.Itoa(width))
		b.click(sel("changed-since") + " a")
		b.until(`document.readyState === "complete" && document.querySelector("h1")?.textContent.trim() === ` + quote(fmt.Sprintf("Version 1 of %s", name)))
		b.quiet("404") // the page of the next version, which is gone
	}
}
