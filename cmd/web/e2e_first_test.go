//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/link"
)

// TestFromNothingToAnAnswer begins with an empty library: loading the sample, going to Ask and choosing a question are
// three clicks, a question on the first page is one. Both wait for what is being read, and ask themselves; the counts follow.
func TestFromNothingToAnAnswer(t *testing.T) {
	t.Parallel()
	question := sample.Try()[0]
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, _ := start(t)
			b := newBrowser(t, base, width)
			b.open("/")
			b.until(`!!document.querySelector(".question-row")`)
			if counts := js[string](b, counted); counts != "" {
				t.Errorf("an empty library counts %q", counts)
			}
			js[any](b, `(f => { f.addEventListener("click", (e) => { e.preventDefault(); window.chooses = true }); f.focus() })(document.querySelector('input[type="file"]'))`)
			b.press("\r")
			b.until(`window.chooses === true`)
			if width == 1440 {
				b.click(".question-row")
			} else {
				b.click(sel("load-sample"))
				b.until(`location.pathname === "/w/library/documents"`)
				b.open("/ask") // the second click, on a page whose rows move
				b.click(".question-row")
			}
			b.until(`location.pathname.startsWith("/w/library/ask")`)
			b.until(`location.pathname.includes("/ask/") && document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
			if answer := b.text(sel("answer")); !strings.Contains(answer, question.Answer) {
				t.Errorf("the answer %q does not hold %q", answer, question.Answer)
			}
			if n := js[string](b, counted); n != strconv.Itoa(len(sample.Files())) {
				t.Errorf("the navigation counts %q documents", n)
			}
			b.fits(width)
			b.shoot("first-answer-" + strconv.Itoa(width))
			b.graphHelped(width)
			b.quiet()
		})
	}
}

// graphHelped looks at the way that the graph led to an answer, and asks whether it helped.
func (b *browser) graphHelped(width int) {
	b.t.Helper()
	graph := js[string](b, `document.querySelector('[data-testid="in-graph"] [hx-get]').getAttribute("hx-get")`)
	js[any](b, `document.querySelector('[data-testid="in-graph"] summary').click()`)
	b.until(`document.querySelectorAll('[data-testid="in-graph"] svg .lit').length > 0`)
	js[any](b, `document.querySelector('[data-testid="in-graph"]').scrollIntoView({ block: "nearest" })`)
	b.fits(width)
	b.shoot("first-graph-" + strconv.Itoa(width))
	parts := strings.Split(link.Out(b.t.Context(), graph), "/")
	b.open(link.Methods(domain.ConversationID(parts[2]), domain.MessageID(parts[4])))
	js[any](b, `document.querySelector('[data-testid="start-methods"]').click()`)
	b.until(`document.querySelector(".verdict-line b")?.textContent === "Yes."`)
	b.fits(width)
	b.shoot("first-methods-" + strconv.Itoa(width))
}

// counted is how many documents the navigation counts.
const counted = `document.querySelector(".top .nav-documents").textContent.trim()`
