//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// messagesIn returns all questions of a library.
func messagesIn(t *testing.T, data string) (all []ledger.Answer) {
	t.Helper()
	a := stored(t, data)
	conversations, _, err := a.ledger.Conversations(t.Context(), domain.DefaultWorkspace, 0, 0)
	noError(t, err)
	for _, c := range conversations {
		m, err := a.ledger.Messages(t.Context(), domain.DefaultWorkspace, c.ID)
		noError(t, err)
		all = append(all, m...)
	}
	return all
}

// TestAQuestionIsAskedOnce presses Enter twice, and clicks a suggestion twice.
func TestAQuestionIsAskedOnce(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	b.write(sel("question"), "Who designed Copper Bridge?\r\r\r")
	b.until(`!!document.querySelector('[data-testid="answer"][data-status="done"]')`)
	if all := messagesIn(t, data); len(all) != 1 {
		t.Errorf("three times Enter asks %d questions", len(all))
	}
	b.open("/ask")
	b.until(`!!document.querySelector(".question-row")`)
	js[any](b, `const row = document.querySelector(".question-row"); row.click(); row.click(); 0`)
	b.until(`!!document.querySelector('[data-testid="answer"][data-status="done"]')`)
	if all := messagesIn(t, data); len(all) != 2 {
		t.Errorf("with a suggestion clicked twice, %d questions are asked", len(all))
	}
	b.quiet()
}

// TestAQuestionOutlivesTheConnection asks while the browser is offline: the page stays with the text, says why, and asks
// once there is a connection.
func TestAQuestionOutlivesTheConnection(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	b := newBrowser(t, base, 390)
	b.open("/ask")
	b.until(`!!document.querySelector('[data-testid="ask"]')`)
	b.offline(true)
	const question = "Who designed Copper Bridge?"
	b.write(sel("question"), question+"\r")
	b.until(`!document.getElementById("alert").hidden`)
	said, text := b.text("#alert"), js[string](b, `document.querySelector('[data-testid="question"]').value`)
	if !strings.Contains(said, "nothing was sent") || strings.TrimSpace(text) != question { // the key that sends it is typed too, as chromedp presses it
		t.Errorf("offline the page says %q, and the text is %q", said, text)
	}
	b.fits(390)
	b.shoot("ask-offline")
	b.offline(false)
	b.press("\r")
	b.until(`!!document.querySelector('[data-testid="answer"][data-status="done"]')`)
	if kept := js[int](b, `Object.keys(sessionStorage).filter((k) => k.startsWith("draft:")).length`); kept != 0 {
		t.Errorf("%d drafts are kept after the question was asked", kept)
	}
	if all := messagesIn(t, data); len(all) != 1 || all[0].Question != question {
		t.Errorf("asked are %+v", all)
	}
	b.quiet("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
}

// offline takes the connection away from the browser, or gives it back.
func (b *browser) offline(is bool) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: is, DownloadThroughput: -1, UploadThroughput: -1}},
	})
	b.must(err)
}
