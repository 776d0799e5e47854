//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/link"
)

// TestARunIsTravelledThrough does by keyboard alone what a person does with the run of
// an answer: watch it, go back to its first search, flip grades, fork, compare, ask
// whether the graph helped, and carry the run to an empty installation. On a wide
// screen and on a phone.
func TestARunIsTravelledThrough(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, data := startWithSample(t)
			b := traveller{newBrowser(t, base, width), width, map[int]string{1440: "", 390: "-390"}[width]}
			m := b.watches(stored(t, data))
			branch := b.forks(m.Run, b.goesBack())
			b.compares(m.Run, branch)
			b.asksWhetherTheGraphHelped(m)
			b.exports(m)
			if width == 1440 {
				b.seesStatesChange(stored(t, data))
			}
			b.quiet()
		})
	}
}

// traveller is a browser of a width, and what its pictures end with.
type traveller struct {
	*browser
	width  int
	suffix string
}

func (b traveller) seen(name string) {
	b.t.Helper()
	b.fits(b.width)
	b.shoot(name + b.suffix)
}

// reach presses Tab, or Tab with Shift, until the first element that shows and matches
// has the focus.
func (b *browser) reach(selector string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && [...document.querySelectorAll(` + quote(selector) + `)].some((e) => e.checkVisibility({ visibilityProperty: true }))`)
	for range 40 {
		away := js[int](b, `(() => {
			const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
				.filter((e) => !e.disabled && e.type !== "hidden" && e.checkVisibility({ visibilityProperty: true }) && (e.type !== "radio" || e.checked));
			return all.findIndex((e) => e.matches(`+quote(selector)+`)) - all.indexOf(document.activeElement);
		})()`)
		switch {
		case away == 0:
			return
		case away > 0:
			b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(strings.Repeat(kb.Tab, away))))
		default:
			b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(strings.Repeat(kb.Tab, -away), chromedp.KeyModifiers(kb.ModifierShift))))
		}
	}
	b.t.Fatalf("Tab does not lead to %s", selector)
}

// follow reaches an element and presses Enter.
func (b *browser) follow(selector string) {
	b.t.Helper()
	b.reach(selector)
	b.press(kb.Enter)
}

const (
	atStep = `document.querySelector("[data-travel]")?.dataset.step`
	ended  = `document.readyState === "complete" && !!document.querySelector("[data-travel]") && !document.querySelector("[data-until-end]")`
)

// watches asks a question that waits for a person, lets it go on from the page of its
// run, and watches it to its end.
func (b traveller) watches(a *app) ledger.Answer {
	b.t.Helper()
	b.open("/ask")
	b.write(sel("question"), sample.Try()[0].Question)
	b.follow(sel("options"))
	b.reach(sel("review"))
	b.press(" ")
	b.follow(sel("ask"))
	b.until(`!!document.querySelector('[data-testid="write"]')`)
	runs, err := a.queue.List(b.t.Context(), domain.DefaultWorkspace, job.Query{Kind: "answer"})
	noError(b.t, err)
	m, err := a.ledger.Message(b.t.Context(), domain.DefaultWorkspace, domain.MessageID(runs[0].Subject))
	noError(b.t, err)
	b.open(link.Run(m.Run))
	if said := b.text(sel("totals")); !strings.Contains(said, "waiting for you") {
		b.t.Errorf("the run that waits says %q", said)
	}
	b.follow(sel("write"))
	b.until(`location.pathname.startsWith("/w/library/ask/")`)
	b.open(link.Run(m.Run))
	b.until(ended)
	return m
}

// goesBack goes along the rail to the first search, and on to the step of the grades
// after it.
func (b traveller) goesBack() (step int) {
	b.t.Helper()
	last := js[string](b.browser, `document.querySelector("[data-travel]").dataset.last`)
	lit := `document.querySelectorAll('[data-travel] [data-testid="node"][data-state="seen"]').length`
	all := js[int](b.browser, lit)
	b.press(kb.Home)
	b.until(atStep + ` === "0"`)
	b.press(kb.End)
	b.until(atStep + ` === "` + last + `"`)
	b.press(kb.Home)
	b.until(atStep + ` === "0"`)
	search := js[int](b.browser, `[...document.querySelectorAll("[data-stop]")].findIndex((s) => s.textContent.includes("retrieve"))`)
	for range search {
		b.press(kb.ArrowRight)
	}
	b.until(atStep + ` === "` + strconv.Itoa(search) + `"`)
	if n := b.count(sel("walk") + " .stop-at"); n < 3 {
		b.t.Errorf("%d things are drawn on the way of the search", n)
	}
	if n := js[int](b.browser, lit); n >= all {
		b.t.Errorf("%d nodes are lit at the search and %d at the end", n, all)
	}
	if cut := js[string](b.browser, `[...document.querySelectorAll(".at-step .tg text")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).map((e) => e.textContent).join(", ")`); cut != "" {
		b.t.Errorf("%d pixels wide, the drawing is cut at %s", b.width, cut)
	}
	b.seen("run-walk")
	b.click(`[data-speed="0"]`)
	b.click("[data-play]") // goes one step, and waits
	b.until(atStep + ` === "` + strconv.Itoa(search+1) + `" && document.querySelector("[data-plays]").textContent === "Next" && document.querySelector('[data-speed="0"]').ariaPressed === "true"`)
	return search + 1
}

// forks flips the grades of all relevant passages, allows no loop, and runs on.
func (b traveller) forks(parent domain.RunID, step int) (branch domain.RunID) {
	b.t.Helper()
	b.follow(sel("fork"))
	b.until(`document.querySelector(".forker") !== null`)
	const relevant = `[value="relevant"]:checked`
	flipped := 0
	for ; b.count(relevant) > 0; flipped++ {
		b.reach(relevant)
		b.press(kb.ArrowRight)
	}
	b.reach(`[name="max_loops"]`)
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent("0")))
	b.seen("run-fork")
	b.follow(sel("run-on"))
	b.until(ended + ` && !location.pathname.endsWith("/fork") && !document.querySelector('[data-testid="stop"]')`)
	branch = domain.RunID(js[string](b.browser, `document.querySelector("main.run").dataset.run`))
	b.open(link.Run(branch))
	tree := b.text(sel("branches"))
	if flipped == 0 || branch == parent || !strings.Contains(tree, "As asked") || !strings.Contains(tree, "from step "+strconv.Itoa(step)+" of “As asked”") || !strings.Contains(tree, "Nothing close was found.") {
		b.t.Errorf("after %d flips the tree is\n%s", flipped, tree)
	}
	b.open(link.RunAt(branch, 0))
	if crossed := b.count(`[data-field="documents"] .new .decision del`); crossed != flipped || !js[bool](b.browser, `document.querySelector(".decision").checkVisibility()`) {
		b.t.Errorf("the state at the start crosses %d grades out, want %d in sight", crossed, flipped)
	}
	js[bool](b.browser, `(document.querySelector(".tree-of").scrollIntoView(), true)`)
	b.seen("run-branches")
	b.reach(".branch.on .branch-title")
	for range 3 {
		b.press(kb.ArrowUp)
	}
	if at := js[string](b.browser, `document.activeElement.textContent`); at != "As asked" {
		b.t.Errorf("going up in the tree leads to %q", at)
	}
	return branch
}

// compares the branch with the run that it began at.
func (b traveller) compares(parent, branch domain.RunID) {
	b.t.Helper()
	b.follow(sel("run-menu"))
	b.follow(`a[href="` + library(link.CompareRuns(branch, "")) + `"]`)
	b.follow(`a[href="` + library(link.CompareRuns(branch, parent)) + `"]`)
	b.until(`document.querySelectorAll('[data-testid="graph"]').length === 2`)
	b.seen("compare")
	js[bool](b.browser, `(document.querySelector("[data-testid=states]").scrollIntoView(), true)`)
	b.seen("compare-end")
}

// asksWhetherTheGraphHelped lets each method answer the question.
func (b traveller) asksWhetherTheGraphHelped(m ledger.Answer) {
	b.t.Helper()
	b.open(link.Conversation(m.Conversation))
	b.follow(sel("more"))
	b.follow(`a[href="` + library(link.Methods(m.Conversation, m.Message)) + `"]`)
	b.follow(sel("start-methods"))
	b.until(`document.querySelector('[data-testid="methods"]')?.dataset.working === "false" && document.querySelectorAll('[data-testid="column"][data-status="done"]').length === 3`)
	if b.text(`.verdict-line`) == "" {
		b.t.Error("nothing says whether the graph helped")
	}
	b.seen("methods")
	js[bool](b.browser, `(document.querySelector(".matrix").scrollIntoView({block: "end"}), true)`)
	b.seen("methods-end")
}

// exports has the run as a file.
func (b traveller) exports(m ledger.Answer) {
	b.t.Helper()
	b.open("/runs?kind=answer&q=watchman")
	b.seen("runs-narrowed")
	b.open(link.Run(m.Run))
	b.follow(sel("run-menu"))
	b.reach(sel("export-text"))
	if file := b.saved(sel("export-text")); !strings.Contains(file, string(m.Run)) {
		b.t.Errorf("the file has %.300s", file)
	}
}

// seesStatesChange asks what the sample does not say, goes to where the question was
// reworded for the second time, and plays the run again.
func (b traveller) seesStatesChange(a *app) {
	b.t.Helper()
	b.open("/ask")
	b.ask("Which zebra galloped over the glacier?")
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	b.follow(sel("technical-names"))
	js[any](b.browser, `document.querySelector('[data-testid="step"][data-node="transform_query"] .sub').open = true`)
	b.until(`/^− loop_count +0\n?\+ loop_count +1/.test([...document.querySelectorAll(".state-diff span")].map((s) => s.textContent).join("\n"))`)
	b.seen("state-diff")
	runs, err := a.queue.List(b.t.Context(), domain.DefaultWorkspace, job.Query{Kind: "answer", Status: []job.Status{job.Done}, Words: "zebra"})
	noError(b.t, err)
	b.open(link.RunAt(runs[0].ID, 6))
	if changed := squeeze(b.text(`[data-field="loop_count"] dd:last-child`)); changed != "1 2" {
		b.t.Errorf("after the second rewording it says %q", changed)
	}
	b.seen("run-travel")
	for _, step := range []string{"6", "5"} { // the form to run on comes once one looks for it, and follows the step
		b.until(atStep + ` === "` + step + `"`)
		js[bool](b.browser, `(document.querySelector(".run-on").scrollIntoView(), document.querySelector(".run-on details").open = true)`)
		b.until(`document.querySelector(".run-on .forker")?.getAttribute("action").endsWith("step=` + step + `")`)
		b.seen("run-on")
		js[any](b.browser, `document.activeElement.blur()`)
		b.press(kb.ArrowLeft)
	}
	b.until(atStep + ` === "4"`)
	last := js[string](b.browser, `document.querySelector("[data-travel]").dataset.last`)
	b.press(kb.End)
	b.until(atStep + ` === "` + last + `"`)
	js[any](b.browser, `new MutationObserver(() => { window.least = Math.min(window.least ?? 99, Number(`+atStep+`)) }).observe(document.body, { childList: true, subtree: true })`)
	b.click(`[data-speed="4"]`)
	b.follow(`[data-play]`)
	b.until(`window.least === 0 && ` + atStep + ` === "` + last + `"`)
	b.pauses()
}

// pauses plays a run and pauses it by the space bar: it stays where it is, and goes on from there.
func (b traveller) pauses() {
	b.t.Helper()
	label := `document.querySelector("[data-plays]").textContent`
	b.click(`[data-speed="1"]`)
	js[any](b.browser, `document.activeElement.blur()`)
	b.press(" ")
	b.until(label + ` === "Pause" && ` + atStep + ` === "1"`)
	b.press(" ")
	b.until(label + ` === "Play"`)
	at := js[int](b.browser, `Number(`+atStep+`)`)
	b.press(kb.ArrowRight)
	b.until(atStep + ` === "` + strconv.Itoa(at+1) + `"`)
	b.press(" ")
	b.until(label + ` === "Pause" && ` + atStep + ` === "` + strconv.Itoa(at+2) + `"`)
	b.press(kb.Home)
	b.until(label + ` === "Play" && ` + atStep + ` === "0"`)
}
