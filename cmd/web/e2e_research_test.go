//go:build e2e

package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestResearchInTheBrowser orders research, edits its plan, reads the report and exports it.
func TestResearchInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Themes)
		b.fits(width)
		b.shoot(fmt.Sprint("research-themes-", width))
		b.click(sel("research-theme"))
		b.until(`document.querySelector('[data-testid="plan"]')?.value.includes("What is known about")`)
		b.fits(width)
		b.shoot(fmt.Sprint("research-theme-", width))
		b.open(link.Researches)
		b.fits(width)
		b.shoot(fmt.Sprint("research-new-", width))
		b.write(sel("question"), "How did the Osterby Bridge come to be built?")
		b.click(sel("review"))
		b.click(sel("research"))
		b.until(`!!document.querySelector('[data-testid="plan-text"]')`)
		b.fits(width)
		b.shoot(fmt.Sprint("research-plan-", width))
		js[any](b, `document.querySelector('[data-testid="plan-text"]').value = "Who built the Osterby Bridge?\nWhat do dragons eat for breakfast?"`)
		b.click(sel("continue"))
		b.until(`document.querySelector('[data-testid="research"]')?.dataset.status === "done" && document.querySelectorAll('[data-testid="section"]').length >= 2`)
		if n := b.count(`[data-testid="section"] [data-testid="cite"]`); n == 0 {
			t.Error("no sentence has a source")
		}
		if asked := js[string](b, `[...document.querySelectorAll('[data-testid="section"] h2')].map((e) => e.textContent).join("\n")`); strings.Contains(asked, ": Who built") {
			t.Errorf("a question of the plan is asked again under names:\n%s", asked)
		}
		if n := b.count(`[data-testid="graph"] [data-testid="node"]`); n == 0 || n > 12 {
			t.Errorf("the drawing beside the report has %d nodes, want those of the research and not of each answer", n)
		}
		b.fits(width)
		b.shoot(fmt.Sprint("research-report-", width))
		resp, err := http.Get(js[string](b, `document.querySelector('[data-testid="export-html"]').href`))
		noError(t, err)
		html, err := io.ReadAll(resp.Body)
		noError(t, err)
		noError(t, resp.Body.Close())
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(html), "<h2>Who built the Osterby Bridge?</h2>") {
			t.Errorf("the export has status %d:\n%s", resp.StatusCode, html)
		}
		b.click(sel("delete"))
		b.until(`location.pathname.endsWith("/delete")`)
		b.quiet()
	}
}
