//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/sample"
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
				b.until(`location.pathname === "/documents"`)
				b.open("/ask") // the second click, on a page whose rows move
				b.click(".question-row")
			}
			b.until(`location.pathname.startsWith("/ask")`)
			b.until(`location.pathname.length > 5 && document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
			if answer := b.text(sel("answer")); !strings.Contains(answer, question.Answer) {
				t.Errorf("the answer %q does not hold %q", answer, question.Answer)
			}
			if n := js[string](b, counted); n != strconv.Itoa(len(sample.Files())) {
				t.Errorf("the navigation counts %q documents", n)
			}
			b.fits(width)
			b.shoot("first-answer-" + strconv.Itoa(width))
			b.quiet()
		})
	}
}

// counted is how many documents the navigation counts.
const counted = `document.querySelector(".top .nav-documents").textContent.trim()`
