//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/views/link"
)

// TestEvaluationOfTwoSettings keeps a question below its answer and a second one by
// hand, asks both under two settings, and sees which question the second answers and
// the first does not, with the trace of its run.
func TestEvaluationOfTwoSettings(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open(link.Ask)
	b.write(sel("question"), "Who founded the Carrow Foundry?")
	b.press(kb.Enter)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	b.click(sel("more"))
	b.click(sel("keep"))
	b.until(`document.querySelector('[data-testid="question-form"] [name="sources"]')?.value !== ""`)
	b.shoot("evaluation-keep")
	b.click(sel("question-form") + ` [type="submit"]`)
	b.until(`document.querySelectorAll('[data-testid="questions"] li').length === 1`)
	_, err := stored(t, data).evaluation.Keep(t.Context(), domain.DefaultWorkspace, ledger.FirstSet, // answered from another document than the one that a single passage is of
		evaluation.Kept{Question: evaluation.Question{Text: "Who paid for the repair of the bridge that Henrike Aldous designed?", Answers: []string{"Drapers' Benefit Society"}}},
		evaluation.Kept{Question: evaluation.Question{Text: "Which submarine surfaced under Copper Bridge?"}})
	noError(t, err)

	b.open(link.Evaluation)
	js[any](b, `const f = document.querySelector('[data-testid="setting"]'); f.loops.value = "0"; f.passages.value = "1"; f.search.value = "words"; 0`)
	b.click(sel("setting") + ` [type="submit"]`)
	b.until(`document.querySelector('[data-testid="result"]')?.dataset.status === "done"`)
	b.shoot("evaluation-result")
	b.open(link.Evaluation)
	b.click(sel("setting") + ` [type="submit"]`)
	b.until(`document.querySelector('[data-testid="result"]')?.dataset.status === "done"`)
	for _, width := range []int64{1440, 390} {
		b.wide(width)
		b.open(link.With(link.Evaluation, "show", "all"))
		if n := b.count(sel("pair")); n != 3 {
			t.Errorf("%d questions are compared, want 3", n)
		}
		if says := b.text(sel("says")); !strings.Contains(says, "B does better on") {
			t.Errorf("the page says %q", says)
		}
		b.fits(int(width))
		for _, table := range []string{".qs", ".met"} {
			if wide := js[int](b, `(t => t.scrollWidth - t.parentElement.clientWidth)(document.querySelector(`+quote(table)+`))`); wide > 0 {
				t.Errorf("%d pixels wide, the table %s is %d pixels wider than its frame", width, table, wide)
			}
		}
		b.shoot(fmt.Sprint("evaluation-", width))
		js[any](b, `document.documentElement.dataset.theme = "dark"`)
		b.shoot(fmt.Sprint("evaluation-dark-", width))
		js[any](b, `delete document.documentElement.dataset.theme`)
		b.open(link.KeptQuestions)
		b.shoot(fmt.Sprint("evaluation-questions-", width))
		b.fits(int(width))
	}
	b.wide(1440)
	b.open(link.With(link.Evaluation, "show", "better"))
	b.press("j")
	b.press("v")
	b.until(`document.activeElement?.value === "right"`)
	b.shoot("evaluation-judge")
	b.press(kb.Tab)
	b.press(kb.Enter) // half
	b.until(`document.querySelector('[data-testid="undo"]') !== null && document.querySelector('[data-testid="pair"] .bcol').textContent.includes("by hand, by rule found")`)
	b.shoot("evaluation-judged")
	b.press("u")
	b.until(`location.pathname === "/w/library/evaluation" && !location.search.includes("judged") && document.querySelector('[data-testid="pair"] .bcol .vd')?.textContent === "found"`)
	b.open(link.With(link.Evaluation, "show", "better"))
	b.click(sel("pair") + " .vd")
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	if title := b.text("h1"); !strings.Contains(title, "?") {
		t.Errorf("the run's page is titled %q", title)
	}
}
