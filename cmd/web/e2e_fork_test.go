//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/sample"
)

// TestForkingARun goes back to the first grading of an answer, flips the grades of the
// passages that it rests on, reads the branch's answer, and switches back.
func TestForkingARun(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	b.ask(sample.Try()[0].Question)
	b.until(`!!document.querySelector('[data-testid="cite"]') && document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	a := stored(t, data)
	runs, err := a.queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Kind: "answer", Status: []job.Status{job.Done}})
	noError(t, err)
	page := "/runs/" + string(runs[0].ID)
	b.open(page)
	b.press(kb.Home)
	for range 2 {
		b.press(kb.ArrowRight)
	}
	b.until(`document.querySelector("[data-travel]").dataset.step === "2"`)
	b.click(`[data-testid="fork"]`)
	b.until(`document.querySelector(".forker") !== null`)
	flipped := js[int](b, `[...document.querySelectorAll('[value="relevant"]:checked')].map((box) => box.closest("li").querySelector('[value="irrelevant"]').click()).length`)
	js[int](b, `(document.querySelector('[name="max_loops"]').value = "0").length`)
	b.shoot("run-fork")
	b.click(`[data-testid="run-on"]`)
	b.until(`document.querySelector("[data-travel]") !== null && !location.pathname.endsWith("/fork")`)
	tree := b.text(`[data-testid="branches"]`)
	if flipped == 0 || !strings.Contains(tree, "As asked") || !strings.Contains(tree, "from step 2 of “As asked”") || !strings.Contains(tree, answer.SaysNotOutright) {
		t.Errorf("after %d flips the tree is\n%s", flipped, tree)
	}
	js[bool](b, `(document.querySelector(".tree-of").scrollIntoView(), true)`)
	b.shoot("run-branches")
	js[bool](b, `(document.querySelector('.branch.on .branch-title').focus(), true)`)
	b.press(kb.ArrowUp)
	b.press(kb.ArrowUp)
	b.press(kb.ArrowUp)
	b.press(kb.Enter)
	b.until(`location.pathname === "` + page + `" || location.pathname.startsWith("/ask/")`)
	phone := newBrowser(t, base, 390)
	for _, path := range []string{page + "/fork?step=2", page} {
		phone.open(path)
		if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d pixels wide on a screen of 390", path, wide)
		}
	}
	js[bool](phone, `(document.querySelector(".tree-of").scrollIntoView(), true)`)
	phone.shoot("run-branches-390")
	phone.click(`.branch:last-child .row a`)
	phone.until(`location.pathname.startsWith("/ask/") && !!document.querySelector('[data-testid="branch-links"]')`)
	if said := phone.text(`[data-testid="answer"]`); !strings.Contains(said, answer.SaysNotOutright) {
		t.Errorf("the turn shows %q", said)
	}
	phone.click(`[data-testid="branch-links"] a`)
	phone.until(`!!document.querySelector('[data-testid="cite"]')`)
	phone.quiet()
	b.quiet()
}
