//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sample"
)

// TestAConversationIsSharedInTheBrowser shares a conversation with another member, who asks further in a copy, and takes it back.
func TestAConversationIsSharedInTheBrowser(t *testing.T) {
	t.Parallel()
	data := copyOfSample(t)
	a := shell{data: data}.app(t)
	ctx := domain.WithWorkspace(t.Context(), domain.DefaultWorkspace)
	noError(t, a.auth.Add(ctx, "", "ada", "correct horse", domain.Owner))
	noError(t, a.auth.Add(ctx, "", "bob", "correct horse", domain.Reader))
	noError(t, a.Close())
	base := startOn(t, data)
	ada, bob := newBrowser(t, base, 1440), newBrowser(t, base, 390)
	for name, b := range map[string]*browser{"ada": ada, "bob": bob} {
		b.open("/login")
		b.write(`[name="name"]`, name)
		b.write(`[name="password"]`, "correct horse\r")
		b.until(`location.pathname !== "/login"`)
	}
	question := sample.Try()[0]
	ada.open("/ask")
	ada.ask(question.Question)
	ada.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	talk := strings.TrimPrefix(js[string](ada, "location.pathname"), library(""))
	ada.open(talk)
	ada.click(".convs " + sel("conversation-tools"))
	ada.click(".convs " + sel("share"))
	ada.until(`document.querySelector('[data-testid="sharebar"]')?.textContent.includes("Shared with this workspace")`)
	ada.shoot("share-maker")

	bob.open(talk)
	bob.until(`document.querySelector('[data-testid="sharebar"]')?.textContent.includes("Shared by ada")`)
	if answer := bob.text(sel("answer")); !strings.Contains(answer, question.Answer) {
		t.Errorf("bob reads %q", answer)
	}
	bob.fits(390)
	bob.shoot("share-reader-390")
	bob.write(sel("question"), "And when was that?")
	bob.click(sel("ask-further"))
	bob.until(`document.querySelectorAll('[data-testid="turn"]').length === 2 && !document.querySelector('[data-testid="sharebar"]')`)
	bob.open("/conversations")
	bob.until(`document.querySelector("main").textContent.includes("Shared with you")`)
	bob.fits(390)
	bob.shoot("conversations-390")

	ada.click(sel("unshare"))
	ada.until(`!document.querySelector('[data-testid="sharebar"]')`)
	ada.open("/conversations")
	ada.shoot("conversations-maker")
	bob.open(talk)
	bob.until(`document.body.textContent.includes("There is no conversation")`)

	ada.open(talk)
	ada.click(sel("more"))
	ada.shoot("share-answer-menu")
	ada.click(sel("share-answer"))
	ada.until(`document.querySelector("#shared")?.textContent.includes("one answer")`)
	ada.shoot("share-answer")
	bob.open(strings.TrimPrefix(js[string](ada, `document.querySelector("#shared a").getAttribute("href")`), library("")))
	bob.until(`document.querySelector('[data-testid="sharebar"]')?.textContent.includes("One answer")`)
	if answer := bob.text(sel("answer")); !strings.Contains(answer, question.Answer) {
		t.Errorf("bob reads of one answer %q", answer)
	}
	bob.fits(390)
	bob.shoot("share-answer-reader-390")
	for _, width := range []int64{390, 1440} {
		ada.must(chromedp.Do(ada.ctx, chromedp.EmulateViewport(width, 900)))
		ada.open("/people")
		ada.fits(int(width))
		ada.shoot("people-" + strconv.FormatInt(width, 10))
	}
	ada.click(`[data-testid="remove-member"] summary`)
	ada.click(`[data-testid="remove-member"] button`)
	ada.until(`document.querySelector("#undo").textContent.includes("bob is no longer a member")`)
	ada.shoot("people-undo")
	ada.click(sel("undo"))
	ada.until(`document.querySelector("#undo").textContent.includes("member of this workspace again")`)
	ada.quiet()
}
