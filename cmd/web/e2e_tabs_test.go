//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
)

// stalled holds the graph's data back until window.pass is called.
const stalled = `const real = window.fetch; window.fetch = (at, ...more) => String(at).includes("/graph/data")
	? new Promise((done) => { window.pass = () => done(real(at, ...more)); }) : real(at, ...more);`

// TestTheGraphSaysThatItLoads looks at the graph while its data is on its way, changes the size of the window, and leaves.
func TestTheGraphSaysThatItLoads(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: stalled})
	b.must(err)
	const says = `getComputedStyle(document.getElementById("graph-picture"), "::after").content`
	for _, address := range []string{"/graph?at=" + string(domain.NewEntityID(domain.DefaultWorkspace, "Person", "henrike aldous")), "/entities?q=bridge"} {
		b.open(address)
		b.until(`window.pass && document.querySelector("#graph-picture canvas") && ` + says + `.includes("Loading the graph")`)
		js[any](b, `document.getElementById("graph-picture").picture.sigma.refresh(); 0`)
		b.quiet()
		b.shoot("graph-loading")
		js[any](b, `window.pass(); 0`)
		b.until(pictured + ` && ` + says + ` === "none"`)
	}
	b.open("/graph")
	b.until(`!!window.pass`)
	b.open("/documents")
	b.quiet()
}

// TestASecondTabHearsOfNewTurns asks a question in a conversation that is open in a tab.
func TestASecondTabHearsOfNewTurns(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 390)
	b.open("/ask")
	b.ask("Who designed Copper Bridge?")
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	first := messagesIn(t, data)[0]
	if b.count(sel("newer")) != 0 {
		t.Error("the tab in which the question was asked is said to be behind")
	}
	_, err := stored(t, data).questions.Start(t.Context(), questions.Question{Workspace: domain.DefaultWorkspace, Conversation: first.Conversation, Text: "When was it built?"})
	noError(t, err)
	b.until(`document.querySelector('[data-testid="newer"]')?.checkVisibility()`)
	b.fits(390)
	b.shoot("newer-turn")
	b.click(sel("newer") + " a")
	b.until(`[...document.querySelectorAll(".question")].some((q) => q.textContent === "When was it built?")`)
	b.quiet()
}

// TestAPhoneKeepsTheFocus opens the page for a question, which takes the focus on a wide screen alone, and one that
// there is not.
func TestAPhoneKeepsTheFocus(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for width, focused := range map[int]bool{1440: true, 390: false} {
		b := newBrowser(t, base, width)
		b.open("/ask")
		b.settle()
		js[any](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`)
		if focused {
			b.until(`document.activeElement.matches("textarea")`)
		}
		if got := js[bool](b, `document.activeElement.matches("textarea")`); got != focused {
			t.Errorf("%d pixels wide, the question's field has the focus: %v", width, got)
		}
		b.quiet()
		b.open("/nowhere")
		if said := squeeze(b.text("main")); strings.Count(said, "does not exist") != 1 || strings.Contains(said, "Nothing is here") || strings.Contains(said, "may have been deleted") {
			t.Errorf("a missing page says %q", said)
		}
	}
}
