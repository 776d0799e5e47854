//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestASummaryWithAnEditBeforeItsLastStep(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/documents")
	b.until(`document.querySelectorAll('[data-testid="pick"]').length > 3`)
	js[any](b, `[...document.querySelectorAll('[data-testid="pick"]')].slice(0, 3).forEach(p => p.click())`)
	b.click(sel("summarise"))
	b.until(`location.pathname === "/w/library/summaries/new" && !!document.querySelector('[data-testid="order"]')`)
	if n := b.count(`[data-testid="order"] input[name="document"]`); n != 3 {
		t.Errorf("%d documents were chosen, want 3", n)
	}
	b.click(sel("review"))
	b.click(`[data-testid="order"] ` + sel("summarise"))
	b.until(`!!document.querySelector('[data-testid="draft-text"]')`)
	b.until(`document.querySelector('[data-testid="totals"]')?.textContent.includes("waiting for you")`)
	b.shoot("summary-edit")
	js[any](b, `(() => { const t = document.querySelector('[data-testid="draft-text"]'); t.value = "Nobody but the editor says that swans are fed. [1] " + t.value })()`)
	b.click(sel("continue"))
	b.until(`document.querySelector('[data-testid="summary"]')?.dataset.status === "done"`)
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	for node, want := range map[string]string{"pre_process": "1", "collect_summaries": "1", "generate_final_summary": "1"} {
		if got := b.times(node); got != want {
			t.Errorf("%s was visited %q times, want %s", node, got, want)
		}
	}
	if n := b.count(`[data-testid="steps"] [data-node="generate_summary"]`); n != 1 {
		t.Errorf("the parts are %d steps", n)
	}
	b.quiet()
}

func TestASummaryIsWatchedAndItsSourcesOpened(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/summaries")
	b.click(sel("new-summary"))
	b.until(`!!document.querySelector('[data-testid="order"]')`)
	b.click(`[data-testid="order"] ` + sel("summarise"))
	b.until(`(document.querySelector('[data-testid="summary"] .answer')?.textContent ?? "").length > 20`)
	b.until(`document.querySelector('[data-testid="summary"]')?.dataset.status === "done"`)
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	if steps := b.text(sel("steps")); !strings.Contains(steps, "generate_summary") || !strings.Contains(steps, " of ") {
		t.Errorf("the trace does not count the parts: %s", steps)
	}
	b.shoot("summary")
	words := js[string](b, `document.querySelector('[data-testid="source-link"] q').textContent`)
	b.click(sel("cite"))
	b.until(`location.pathname.startsWith("/w/library/summaries/") && location.hash === "#source-1" && !!document.querySelector("li:target")`)
	b.click("li:target " + sel("source-link"))
	b.until(`location.pathname.startsWith("/w/library/documents/") && !!document.querySelector('[data-testid="hit"]')`)
	marked := js[string](b, `[...document.querySelectorAll('[data-testid="hit"]')].map(m => m.textContent).join(" ")`)
	if squeeze(marked) != squeeze(words) {
		t.Errorf("the first source marks %q, want %q", marked, words)
	}
	phone := newBrowser(t, base, 390)
	for _, path := range []string{"/summaries", "/summaries/new"} {
		phone.open(path)
		if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d pixels wide on a screen of 390", path, wide)
		}
	}
	phone.open("/summaries")
	phone.click(`[data-testid="summaries"] a`)
	phone.until(`!!document.querySelector('[data-testid="summary"]')`)
	if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("a summary is %d pixels wide on a screen of 390", wide)
	}
	phone.shoot("summary-phone")
	phone.quiet()
	b.quiet()
}

// TestASummaryIsAskedFor asks for the summary of a file in Ask, reads its trace beside it, loads the page again, asks a
// question after it, and then reviews the draft of another: wide and on a phone.
func TestASummaryIsAskedFor(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open("/ask")
		b.ask("Summarise carrow-foundry.md")
		b.until(answeredAll)
		look := func(when string) {
			t.Helper()
			if said := b.text(sel("answer")); len(said) < 40 || b.count(`[data-testid="answer"] [data-testid="cite"]`) == 0 {
				t.Errorf("%s, the summary is %q", when, said)
			}
			for _, node := range []string{"route", "summarise"} {
				if got := b.times(node); width > 390 && got != "1" {
					t.Errorf("%s, %s was visited %q times", when, node, got)
				}
			}
		}
		if width > 390 {
			b.until(`document.querySelector('#trace [data-testid="totals"]')?.dataset.state === "seen"`)
		}
		look("at once")
		if steps := b.text("#trace " + sel("steps")); width > 390 && !strings.Contains(steps, "generate_summary") {
			t.Errorf("the steps are %q", steps)
		}
		b.fits(width)
		b.shoot(fmt.Sprint("asked-summary-", width))
		b.open(js[string](b, `location.pathname`))
		b.until(`document.readyState === "complete" && ` + answeredAll)
		look("loaded again")
		b.ask("Who founded the Carrow Foundry?")
		b.until(`document.querySelectorAll(".turn").length === 2 && ` + answeredAll)

		b.ask("Summarise the bridge")
		b.until(`document.querySelectorAll(".turn").length === 3 && ` + answeredAll)
		if said := b.text(".turn:last-of-type " + sel("answer")); !strings.Contains(said, "Ask for one of them:") {
			t.Errorf("of several documents about bridges it says %q", said)
		}
		b.shoot(fmt.Sprint("asked-which-", width))

		b.open("/ask")
		b.click(sel("options"))
		b.click(sel("review"))
		b.ask("Give me a short summary of inscriptions.txt")
		b.until(`!!document.querySelector('[data-testid="asks"] [data-testid="draft-text"]')`)
		b.fits(width)
		b.shoot(fmt.Sprint("asked-draft-", width))
		js[any](b, `(() => { const t = document.querySelector('[data-testid="draft-text"]'); t.value = "Nobody but the editor says that swans are fed. [1] " + t.value })()`)
		b.click(sel("continue"))
		b.until(answeredAll)
		if said := b.text(sel("answer")); !strings.Contains(said, "swans are fed") {
			t.Errorf("the edited summary is %q", said)
		}
		b.quiet()
	}
}
