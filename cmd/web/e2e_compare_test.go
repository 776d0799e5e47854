//go:build e2e

package main

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/link"
)

// TestDidTheGraphHelpInTheBrowser asks a question of two hops, lets each method
// answer, and compares the answer of one with the turn's own.
func TestDidTheGraphHelpInTheBrowser(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	b.ask(sample.Try()[0].Question)
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	runs, err := stored(t, data).queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Kind: "answer", Status: []job.Status{job.Done}})
	noError(t, err)
	run := runs[0].ID
	b.open(link.RunAt(run, 1))
	if n := js[int](b, `document.querySelectorAll('[data-testid="walk"] .stop-at').length`); n < 3 {
		t.Errorf("%d things are drawn on the way", n)
	}
	js[bool](b, `(document.querySelector(".walked").scrollIntoView(), true)`)
	b.shoot("run-walk")
	m, err := stored(t, data).ledger.Message(t.Context(), domain.DefaultWorkspace, domain.MessageID(runs[0].Subject))
	noError(t, err)
	b.open(link.Conversation(m.Conversation))
	b.click(`a[href="` + link.Methods(m.Conversation, m.ID) + `"]`)
	b.until(`!!document.querySelector('[data-testid="start-methods"]')`)
	b.click(`[data-testid="start-methods"]`)
	done := `document.querySelector('[data-testid="methods"]')?.dataset.working === "false" && document.querySelectorAll('[data-testid="column"][data-status="done"]').length === 4`
	b.until(done)
	if b.text(`.verdict-line`) == "" {
		t.Error("nothing says whether the graph helped")
	}
	b.shoot("methods")
	js[bool](b, `(document.querySelector(".matrix").scrollIntoView({block: "end"}), true)`)
	b.shoot("methods-end")
	address := js[string](b, `location.pathname`)
	right := js[string](b, `document.querySelector('[data-method="Words"] h2 a').getAttribute("href").split("/").pop()`)
	compare := link.CompareRuns(run, domain.RunID(right))
	b.open(compare)
	b.until(`document.querySelectorAll('[data-testid="graph"]').length === 2`)
	b.shoot("compare")
	js[bool](b, `(document.querySelector("[data-testid=states]").scrollIntoView(), true)`)
	b.shoot("compare-end")
	phone := newBrowser(t, base, 390)
	for _, path := range []string{address, compare, link.RunAt(run, 1)} {
		phone.open(path)
		if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d pixels wide on a screen of 390", path, wide)
		}
	}
	phone.open(address)
	phone.shoot("methods-390")
	phone.open(compare)
	phone.shoot("compare-390")
	phone.quiet()
	b.quiet()
}
