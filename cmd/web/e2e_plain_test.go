//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/link"
)

// maxControls is how many controls the page of a finished run shows at most.
const maxControls = 70

// TestAnAnswerIsTracedInPlainWords looks at an answer and a miss as a newcomer does, and then by
// the names of the graph, which the browser remembers.
func TestAnAnswerIsTracedInPlainWords(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, data := startWithSample(t)
			b := newBrowser(t, base, width)
			name := map[int]string{1440: "", 390: "-390"}[width]
			for i, question := range []string{sample.Try()[0].Question, "Which zebra galloped over the glacier?"} {
				b.open("/ask")
				b.ask(question)
				b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
				said := js[string](b, `document.querySelector(".trace").innerText`)
				for _, word := range []string{"Your question", "Searched", "Enough?", "not enough", "tried enough", "The answer"} {
					if !strings.Contains(said, word) {
						t.Errorf("the trace does not say %q:\n%s", word, said)
					}
				}
				for _, word := range []string{"retrieve", "grade_documents", "transform_query", "irrelevant", "cap reached", "tokens"} {
					if strings.Contains(said, word) {
						t.Errorf("the trace says %q:\n%s", word, said)
					}
				}
				if gist := b.text(sel("gist")); !strings.HasPrefix(gist, []string{"Found at the first search.", "Searched 4 times"}[i]) {
					t.Errorf("the sentence on top is %q", gist)
				}
				b.fits(width)
				b.shoot("plain" + strconv.Itoa(i) + name)
			}
			runs, err := stored(t, data).queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Kind: "answer", Status: []job.Status{job.Done}})
			noError(t, err)
			for i, r := range runs {
				for _, at := range []string{link.Run(r.ID), link.RunAt(r.ID, 2)} {
					b.open(at)
					b.until(ended)
					if n := js[int](b, controls+".length"); n > maxControls {
						t.Errorf("%s shows %d controls, want at most %d", at, n, maxControls)
					} else {
						t.Logf("%d controls", n)
					}
					for _, field := range []string{"timing_metrics", "spent", "max_loops"} {
						if js[bool](b, `document.querySelector('[data-field="`+field+`"]')?.checkVisibility() ?? false`) {
							t.Errorf("%s shows the field %s", at, field)
						}
					}
				}
				b.fits(width)
				b.shoot("plain-run" + strconv.Itoa(i) + name)
			}
			b.switchesNames(runs[0].ID, width, name)
			b.quiet()
		})
	}
}

// switchesNames has the page call the steps by the names of the graph, at once and from then on.
func (b *browser) switchesNames(run domain.RunID, width int, name string) {
	b.t.Helper()
	names := func(shows, hides string) {
		b.t.Helper()
		b.until(`(() => { const said = document.querySelector("main").innerText; return said.includes(` + quote(shows) + `) && !said.includes(` + quote(hides) + `); })()`)
	}
	names("Searched 2 ways", "grade_documents")
	b.follow(sel("technical-names"))
	names("grade_documents", "Searched 2 ways")
	if !js[bool](b, `document.activeElement.ariaChecked === "true" && document.activeElement.checkVisibility()`) {
		b.t.Error("the switch has lost the focus")
	}
	b.until(`performance.getEntriesByName(location.origin + "/w/library/names").length > 0`)
	b.open(link.Run(run))
	names("grade_documents", "Searched 2 ways")
	if !strings.Contains(b.text(".steps"), "tokens") {
		b.t.Error("the steps by name show no tokens")
	}
	b.fits(width)
	b.shoot("plain-technical" + name)
	b.follow(sel("plain-names"))
	names("Searched 2 ways", "grade_documents")
}
