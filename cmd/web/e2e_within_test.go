//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/link"
)

// TestAskWithinATagInTheBrowser types # and the beginning of a tag, takes what
// completes it by the keyboard, and expects the answer to keep to it, the chip to stay
// for the next question, and to go when it is unchecked. Then it asks for the themes.
func TestAskWithinATagInTheBrowser(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	a := stored(t, data)
	found, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{Text: "foundry"})
	noError(t, err)
	for _, d := range found {
		_, err := a.ledger.TagDocuments(t.Context(), domain.DefaultWorkspace, "", ledger.DocumentQuery{IDs: []domain.DocumentID{d.ID}}, []string{"ironworks"}, nil)
		noError(t, err)
	}
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Ask)
		b.write(sel("question"), "Who founded the Carrow Foundry? #iro")
		b.until(`!document.getElementById("within-options").hidden`)
		b.shoot(fmt.Sprint("within-options-", width))
		b.press(kb.Enter)
		b.until(`document.querySelector('[data-testid="chips"] input')?.value === "tag:ironworks"`)
		b.until(`/^\s*\d+ documents?, \d+ of \d+ passages\s*$/.test(document.querySelector('[data-testid="asks-some"]').textContent)`)
		if typed := js[string](b, `document.querySelector('[data-testid="question"]').value.trim()`); typed != "Who founded the Carrow Foundry?" {
			t.Errorf("the field holds %q after the tag was taken", typed)
		}
		b.press(kb.Enter)
		b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
		if said := domain.OneLine(b.text(sel("within"))); said != "Asked within #ironworks" {
			t.Errorf("the turn says %q", said)
		}
		if n := b.count(sel("chips") + " input"); n != 1 {
			t.Errorf("%d chips are kept for the next question", n)
		}
		b.shoot(fmt.Sprint("within-", width))
		b.fits(width)
		b.asksAgain(width)
		b.settle()
		js[bool](b, `(document.querySelector('[data-testid="chips"] input').click(), true)`)
		b.until(`!document.querySelector('[data-testid="chips"] input')`)
	}
	b := newBrowser(t, base, 1440)
	b.open(link.Ask)
	b.findsATalk()
	b.open(link.Documents)
	b.write(`#doc-filter input[type="search"]`, "foundry")
	b.until(`location.search.includes("q=foundry") && [...document.querySelectorAll("#doc-tabs a, #doc-tags a")].every((a) => a.href.includes("q=foundry"))`)
	b.click(sel("document") + " h3 a")
	b.until(`/^\/w\/library\/documents\/d/.test(location.pathname)`)
	js[any](b, `history.back()`)
	b.until(`location.search.includes("q=foundry") && document.querySelector('#doc-filter input[type="search"]').value === "foundry"`)
	b.open(link.Themes)
	b.shoot("themes")
	b.click(sel("ask-themes"))
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	if n := b.count(`[data-testid="answer"] [data-cite]`); n < 4 {
		t.Errorf("the themes cite %d passages", n)
	}
	b.shoot("themes-answer")
	b.open(link.Ask)
	b.takesADocument(found[0])
}

// takesADocument types @ and the beginning of a document's name, and asks within what
// completes it.
func (b *browser) takesADocument(d domain.Document) {
	b.t.Helper()
	b.write(sel("question"), "Who founded it? @"+d.Name[:1])
	b.until(`!document.getElementById("within-options").hidden`)
	b.write(sel("question"), d.Name[1:5])
	b.press(kb.Enter)
	b.until(`document.querySelector('[data-testid="chips"] input')?.value.startsWith("doc:")`)
	b.press(kb.Enter)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	if said := domain.OneLine(b.text(sel("within"))); !strings.HasPrefix(said, "Asked within @"+d.Name[:5]) {
		b.t.Errorf("the turn says %q", said)
	}
}
