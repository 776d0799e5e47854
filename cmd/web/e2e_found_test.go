//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// controls names what can be pressed or typed into and is in sight, outside folded menus.
const controls = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
	.filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getBoundingClientRect().width > 1)
	.map((e) => (e.getAttribute("aria-label") ?? e.textContent).trim().replace(/\s+/g, " ").slice(0, 30) || e.localName)`

// TestWhatIsFoundIsQuoted asks what the library says, without a model: the best sentence is quoted and the only red of the
// answer, what is close hangs on the dashed line, and the source stands open in its place, live and after a reload.
func TestWhatIsFoundIsQuoted(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, base, width)
			b.open("/ask")
			b.ask("How much did it cost to repaint Copper Bridge?")
			b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
			b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
			const look = `["[data-testid=answer]", "[data-testid=in-place]"].map((e) => document.querySelector(e).innerText).join("\n---\n")`
			live := js[string](b, look)
			b.open(js[string](b, `location.pathname`))
			if again := js[string](b, look); again != live {
				t.Errorf("after a reload it shows\n%s\nand while it was written\n%s", again, live)
			}
			for part, want := range map[string]string{
				"bymachine": "Found by search on this machine. Connect a model to have answers written.",
				"best":      "The repainting of Copper Bridge cost 118 crowns",
				"best mark": "118 crowns", "inplace mark": "The repainting of Copper Bridge cost 118 crowns",
			} {
				if got := squeeze(js[string](b, `document.querySelector(".`+part+`")?.innerText ?? ""`)); !strings.Contains(got, want) {
					t.Errorf("%s says %q, want %q", part, got, want)
				}
			}
			for heading, want := range map[string]int{"Most likely": 1, "Also close": 1, "Most likely:": 0} {
				if n := js[int](b, `[...document.querySelectorAll(".turn *")].filter((e) => e.children.length === 0 && e.textContent.trim() === `+quote(heading)+`).length`); n != want {
					t.Errorf("%q stands %d times, want %d", heading, n, want)
				}
			}
			if n := b.count(".near > li"); n < 2 || n > 3 {
				t.Errorf("%d passages are close, want two or three", n)
			}
			if n, has := b.count(".near > li"), b.count(".near .has"); has < n {
				t.Errorf("%d of %d passages have a marked sentence", has, n)
			}
			const red = `(() => {
				const ink = (e) => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor, getComputedStyle(e).borderTopColor].join();
				const thread = (() => { const e = document.createElement("i"); e.style.color = "var(--thread)"; document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c; })();
				return [...document.querySelectorAll(".near, .near *")].filter((e) => ink(e).includes(thread)).map((e) => e.outerHTML.slice(0, 80)).join("; ");
			})()`
			if found := js[string](b, red); found != "" {
				t.Errorf("what is only close is red: %s", found)
			}
			b.fits(width)
			b.shoot("found-" + strconv.Itoa(width))
			js[any](b, `document.documentElement.dataset.theme = "dark"`)
			b.shoot("found-dark-" + strconv.Itoa(width))
			js[any](b, `document.documentElement.dataset.theme = "light"`)
			if width == 1440 {
				fewControls(b, "with the source in its place")
			}
			b.click(`.near ` + sel("near-link"))
			b.until(`document.querySelector('[data-testid="source"] [data-testid="hit"]')`)
			b.shoot("found-near-open-" + strconv.Itoa(width))
			b.press(kb.Escape)
			b.until(`!document.querySelector('[data-testid="source"]') && document.activeElement.matches('[data-testid="near-link"]')`)
			b.click(sel("cite"))
			b.until(`document.querySelector('[data-testid="source"] [data-testid="hit"]')?.textContent.includes("118 crowns")`)
			if width == 1440 {
				fewControls(b, "with the source open")
			}
			b.shoot("found-source-" + strconv.Itoa(width))
			b.quiet()
		})
	}
}

// fewControls counts the controls of a conversation with one answer.
func fewControls(b *browser, when string) {
	b.t.Helper()
	if in := js[[]string](b, controls); len(in) > 45 {
		b.t.Errorf("%d controls %s, want at most 45: %q", len(in), when, in)
	} else {
		b.t.Logf("%d controls %s: %q", len(in), when, in)
	}
}

// TestNothingNearSaysWhichWordsAreNowhere asks with a word that is misspelt and a name that nobody has, and goes on with the
// word that was meant, and by keys alone.
func TestNothingNearSaysWhichWordsAreNowhere(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) { // one after the other, as each conversation is one control more
			b := newBrowser(t, base, width)
			b.open("/ask")
			b.ask("Which Zyxelbrane did the Viaduckt quorl?")
			b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"] [data-testid="nothing-near"]')`)
			b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
			const look = `document.querySelector("[data-testid=answer]").innerText + document.querySelector("[data-testid=question]").placeholder`
			live := js[string](b, look)
			b.open(js[string](b, `location.pathname`))
			if again := js[string](b, look); again != live {
				t.Errorf("after a reload it shows\n%s\nand while it was written\n%s", again, live)
			}
			for _, want := range []string{"Nothing close was found.", "Viaduckt in no document. Did you mean Viaduct? In 1 document", "Zyxelbrane in no document, and no name is like it", "What this library can answer", "Copy Ask again Add a document", "Ask in other words"} {
				if !strings.Contains(squeeze(live), want) {
					t.Errorf("it does not say %q:\n%s", want, live)
				}
			}
			if n := b.count(sel("try") + " button"); n != 3 {
				t.Errorf("it offers %d questions, want 3", n)
			}
			if n := b.count(".turn mark, .turn .cite, [data-testid=in-place]"); n != 0 {
				t.Errorf("%d marks and citations, want none", n)
			}
			b.until(`((box, part) => part.top >= box.top - 1 && part.bottom < Math.min(box.bottom, innerHeight))(
				...[document.querySelector("[data-scroll]"), document.querySelector(".unk")].map((e) => e.getBoundingClientRect()))`)
			b.fits(width)
			b.shoot("nothing-near-" + strconv.Itoa(width))
			js[any](b, `document.documentElement.dataset.theme = "dark"`)
			b.shoot("nothing-near-dark-" + strconv.Itoa(width))
			if width == 1440 {
				fewControls(b, "where nothing is near")
			}
			b.reach(sel("ask-mended"))
			b.press(kb.Enter)
			b.until(`[...document.querySelectorAll(".question")].some((q) => q.textContent === "Which Zyxelbrane did the Viaduct quorl?")`)
			b.quiet()
		})
	}
}
