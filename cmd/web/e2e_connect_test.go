//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestAModelIsConnectedInTheBrowser connects a model to a library that was read
// without one: lists what the server has, tests, saves, has the documents read again
// and asks; then looks at it all on a phone.
func TestAModelIsConnectedInTheBrowser(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	base, data := start(t)
	foundryFile, bridgeFile := letters(t)
	shell{data: data}.must(t, "ingest", foundryFile, bridgeFile)
	b := newBrowser(t, base, 1440)
	b.open(link.Settings)
	b.shoot("connect-none-1440")
	b.click(sel("open-row-answer"))
	b.until(`!!document.querySelector('[data-testid="server-vllm"]')`)
	b.click(sel("server-vllm"))
	b.until(`!!document.querySelector('[data-testid="connect"]')`)
	b.settle()
	js[any](b, `document.querySelector('[name="address"]').value = `+quote(model.URL))
	b.write(`[name="key"]`, connectedKey)
	b.click(sel("list-models"))
	b.until(`document.querySelectorAll("#offered-models option").length === 2`)
	b.write(`[name="model"]`, "tiny")
	b.write(`[name="embed"]`, "small")
	b.click(sel("try-model"))
	b.until(`document.querySelectorAll("#tried .works").length >= 7`)
	if said := b.text("#tried"); !strings.Contains(said, "It calls tools") || !strings.Contains(said, "32,768 tokens") || !strings.Contains(said, "makes vectors of") {
		t.Errorf("the test says %q", said)
	}
	b.shoot("connect-tested-1440")
	b.click(sel("save-model"))
	b.until(`document.readyState === "complete" && location.search === "?done=model" && !!document.querySelector('[data-testid="again"]')`)
	if said := b.text(sel("again")); !strings.Contains(said, "2 documents were read by another model") || !strings.Contains(said, "2 calls") {
		t.Errorf("the bill says %q", said)
	}
	b.shoot("connect-saved-1440")
	b.click(sel("read-again"))
	b.until(`document.readyState === "complete" && document.querySelectorAll('[data-testid="document"]:is([data-status="ready"], [data-status="empty"])').length === 2`) // the model says nothing that the second one does
	b.open(link.Ask)
	b.ask("Who founded the Carrow Foundry?")
	b.until(`document.querySelector(".answer")?.textContent.includes("Maud Ferring founded it")`)
	b.wide(390)
	b.open(link.With(link.Settings, "role", "answer"))
	b.settle()
	b.fits(390)
	b.shoot("connect-390")
	js[any](b, `document.documentElement.dataset.theme = "dark"`)
	b.shoot("connect-dark-390")
	b.click(sel("forget-answer"))
	b.until(`document.readyState === "complete" && location.search === "?done=forgotten" && !document.querySelector('[data-testid="forget-answer"]')`)
	b.quiet()
}
