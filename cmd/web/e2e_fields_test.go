//go:build e2e

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/link"
)

// TestFieldsInTheBrowser defines a field, sets it from a CSV file, narrows the list of documents by a facet, and asks within it.
func TestFieldsInTheBrowser(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	found, _, err := stored(t, data).ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{Text: "foundry", Limit: 1})
	noError(t, err)
	list := filepath.Join(t.TempDir(), "register.csv")
	noError(t, os.WriteFile(list, []byte("file,status\n"+found[0].Name+",final\nnowhere.txt,draft\n"), 0o600))
	b := newBrowser(t, base, 1440)
	b.open(link.Fields)
	b.fill(sel("define")+` [name="name"]`, "status")
	b.fill(sel("define")+` [name="choices"]`, "draft, final")
	js[any](b, `document.querySelector('[data-testid="define"] [name="kind"]').value = "choice"`)
	js[any](b, `document.querySelector('[data-testid="define"] [name="in_list"]').click()`)
	b.click(sel("define") + ` button[type="submit"]`)
	b.until(`document.querySelector('[data-testid="fields"] li b')?.textContent === "status"`)
	b.must(chromedp.Do(b.ctx, chromedp.SetUploadFiles(sel("import")+` input[type="file"]`, []string{list})))
	b.click(sel("import") + ` button[type="submit"]`)
	b.until(`document.querySelector('[data-testid="preview"]')?.textContent.includes("1 of 2 rows match documents.")`)
	b.shoot("fields-preview")
	b.click(sel("set-values"))
	b.until(`document.querySelector('[data-testid="fields"] .values a')?.textContent.startsWith("final")`)
	b.settle()
	b.shoot("fields-1440")
	b.open(link.Documents)
	b.click(sel("facets") + " a")
	b.until(`location.search.includes("field=status%3Dfinal") && document.querySelectorAll('[data-testid="document"]').length === 1`)
	b.shoot("fields-facets-1440")
	b.click(sel("document") + " h3 a")
	b.until(`document.querySelector('[data-testid="doc-fields"] select')?.value === "final"`)
	b.shoot("fields-document")
	b.open(link.Ask)
	b.write(sel("question"), "Who founded the Carrow Foundry? #status=fi")
	b.until(`!document.getElementById("within-options").hidden`)
	b.press(kb.Enter)
	b.until(`document.querySelector('[data-testid="chips"] input')?.value === "field:status=final"`)
	b.press(kb.Enter)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	if said := domain.OneLine(b.text(sel("within"))); said != "Asked within status final" {
		t.Errorf("the turn says %q", said)
	}
	b.quiet()
	phone := newBrowser(t, base, 390)
	for _, at := range []string{link.Fields, link.Documents} {
		phone.open(at)
		phone.settle()
		phone.fits(390)
		phone.shoot(fmt.Sprintf("fields-390%s", filepath.Base(at)))
	}
	phone.quiet()
}
