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

// TestStudyInTheBrowser goes from a document to its study page, makes cards, opens the sentence of one, takes it out and puts it
// back, exports for Anki, and follows the ways to the timeline and the questions.
func TestStudyInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Documents)
		b.click(sel("study-link"))
		b.until(`location.pathname.endsWith("/study") && document.querySelectorAll('[data-testid="questions"] li').length > 2`)
		b.fits(width)
		b.shoot(fmt.Sprint("study-", width))
		b.open(link.Documents)
		js[any](b, `[...document.querySelectorAll('[data-testid="pick"]')].slice(0, 3).forEach((box) => box.click())`)
		b.click(sel("study-chosen"))
		b.until(`location.pathname.endsWith("/study") && document.querySelectorAll('[data-testid="order"] [name="document"]').length === 3`)
		b.fits(width)
		b.shoot(fmt.Sprint("study-chosen-", width))
		b.open(link.Documents)
		js[any](b, `[...document.querySelectorAll("a")].find((a) => a.textContent.includes("carrow-foundry")).click()`)
		b.click(sel("study-of"))
		b.until(`location.search.includes("document=d") && document.querySelector('[data-testid="of"]')?.textContent.includes("carrow-foundry.md")`)
		b.click(sel("kind-cards"))
		b.click(sel("make"))
		b.until(`document.querySelector('[data-testid="study"]')?.dataset.status === "done" && document.querySelectorAll('[data-testid="item"]').length > 2`)
		b.fits(width)
		b.click(`[data-testid="item"] summary`)
		b.until(`document.querySelector('[data-testid="item"] q').checkVisibility()`)
		b.fits(width)
		b.shoot(fmt.Sprint("study-set-", width))
		items := b.count(`[data-testid="items"] [data-testid="item"]`)
		b.click(`[data-testid="item"] ` + sel("mark"))
		b.until(fmt.Sprintf(`document.querySelectorAll('[data-testid="items"] [data-testid="item"]').length === %d && !!document.querySelector('[data-testid="removed"]')`, items-1))
		if set := ankiOf(t, b); strings.Count(set, "\n") != 4+items-1 || !strings.HasPrefix(set, "#separator:Comma\n") {
			t.Errorf("with one item of %d taken out, the export is\n%s", items, set)
		}
		b.click(`[data-testid="removed"] > summary`)
		b.click(`[data-testid="removed"] [data-testid="item"] summary`)
		b.click(`[data-testid="removed"] ` + sel("mark"))
		b.until(fmt.Sprintf(`document.querySelectorAll('[data-testid="items"] [data-testid="item"]').length === %d`, items))
		b.click(sel("timeline-of"))
		b.until(`location.pathname.endsWith("/timeline") && location.search.includes("within=doc")`)
		b.open(link.Study)
		b.click(`[data-testid="studies"] a`)
		b.until(`!!document.querySelector('[data-testid="item"]')`)
		b.click(`[data-testid="item"] summary`)
		b.click(`[data-testid="item"] ` + sel("source-link"))
		b.until(`/\/documents\/d/.test(location.pathname) && !!document.querySelector('[data-testid="hit"], mark.on')`)
		b.quiet()
	}
}

// ankiOf returns the study set that the browser shows, as it is exported for Anki.
func ankiOf(t *testing.T, b *browser) string {
	t.Helper()
	resp, err := http.Get(js[string](b, `document.querySelector('[data-testid="export-anki"]').href`))
	noError(t, err)
	set, err := io.ReadAll(resp.Body)
	noError(t, err)
	noError(t, resp.Body.Close())
	if resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Content-Disposition"), ".anki.csv") {
		t.Errorf("the export has status %d and header %v", resp.StatusCode, resp.Header)
	}
	return string(set)
}
