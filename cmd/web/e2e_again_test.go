//go:build e2e

package main

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp/kb"
)

// answeredAll is true once every answer on the page is there and its run has ended.
const answeredAll = `document.readyState === "complete" && document.querySelectorAll(".turn").length > 0 && !document.querySelector('.turn[data-live], .turn[aria-busy="true"]') &&
	[...document.querySelectorAll('[data-testid="answer"]')].every((a) => a.dataset.status === "done")`

// asksAgain writes a follow-up, reloads while it is a draft, asks it, edits the first
// question, and finds the follow-up again with the answer that it followed. The page
// shows one answer.
func (b *browser) asksAgain(width int) {
	b.t.Helper()
	field := `document.querySelector('[data-testid="question"]')`
	b.until(answeredAll)
	first := b.text(".question")
	if width > 390 { // on a phone the keyboard would cover the answer
		b.until(`document.activeElement === ` + field)
	}
	small := js[int](b, field+`.offsetHeight`)
	b.write(sel("question"), "And who worked there?"+strings.Repeat(" Tell me about each of them, please.", 4))
	if now := js[int](b, field+`.offsetHeight`); now <= small {
		b.t.Errorf("the field is %d pixels high with four sentences, and %d without", now, small)
	}
	b.open(js[string](b, `location.pathname`))
	b.until(`document.readyState === "complete" && ` + field + `.value.startsWith("And who worked there?")`)
	js[any](b, `(() => { const f = `+field+`; f.value = "ä ".repeat(2100); f.dispatchEvent(new Event("input", { bubbles: true })); f.form.requestSubmit(); })()`)
	if said := b.text("[data-composer] [data-count]"); !strings.Contains(said, "4,199 of 4,000 characters: 199 too many") || b.count(".turn") != 1 {
		b.t.Errorf("of a long question the page says %q", said)
	}
	js[any](b, field+`.value = ""`)
	b.write(sel("question"), "Who worked there?\r")
	b.until(`document.querySelectorAll(".turn").length === 2 && ` + answeredAll)
	b.press(kb.Escape) // the field lets go of the focus
	b.press("k")
	b.until(`document.getElementById("trace").dataset.of === document.querySelector("[data-steps]").dataset.steps && location.search.startsWith("?turn=")`)

	b.click(".turn " + sel("more"))
	b.click(".turn " + sel("edit"))
	b.until(`document.activeElement?.matches('[data-testid="edited"]')`)
	if chips := b.count(".turn:first-child .edit [data-chip]"); chips != 1 {
		b.t.Errorf("the form has %d chips, want the turn's tag", chips)
	}
	b.shoot(fmt.Sprint("edit-", width))
	b.fits(width)
	js[any](b, `document.activeElement.select()`)
	b.write(".turn "+sel("edited"), "When was the Carrow Foundry founded?\r")
	b.until(`location.search.startsWith("?branch=") && document.querySelector(".question")?.textContent === "When was the Carrow Foundry founded?" && ` + answeredAll)
	if n := b.count(".turn"); n != 1 {
		b.t.Errorf("after the edit %d turns are shown: the later one follows the other answer", n)
	}
	if said := squeeze(b.text(sel("branch-links"))); said != "As asked 1 later questionEdited" {
		b.t.Errorf("the answers to switch between are %q", said)
	}
	b.click(sel("more"))
	b.click(sel("good"))
	b.until(`!!document.querySelector('[data-testid="reason"]')`)
	b.shoot(fmt.Sprint("again-", width))
	b.fits(width)
	b.click(sel("branch-links") + " a")
	b.until(`document.querySelectorAll(".turn").length === 2 && document.querySelector(".question").textContent === ` + quote(first))
	b.quiet()
}

// findsATalk searches the conversations, and comes back to the search.
func (b *browser) findsATalk() {
	b.t.Helper()
	listed := `document.querySelectorAll('.convs [data-testid="conversations"] li').length`
	b.until(listed + ` > 0`)
	all := js[int](b, listed)
	b.write(".convs "+sel("find-conversations"), "zebra")
	b.until(`location.search === "?find=zebra" && ` + listed + ` === 0`)
	js[any](b, `document.activeElement.select()`)
	b.write(".convs "+sel("find-conversations"), "founded carrow")
	b.until(`location.search.includes("find=founded+carrow") && ` + listed + ` === ` + fmt.Sprint(all))
	b.click(".convs li a")
	b.until(`document.readyState === "complete" && !!document.querySelector(".turn") && document.querySelector('.convs input[type="search"]').value === "founded carrow"`)
	b.click(".convs " + sel("conversation-tools"))
	b.click(".convs " + sel("rename"))
	b.shoot("conversation-tools")
	b.quiet()
}
