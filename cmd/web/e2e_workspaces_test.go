//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/sample"
)

// TestASecondWorkspaceInTheBrowser makes a workspace, fills it, asks and draws its graph there, and finds the first one empty.
func TestASecondWorkspaceInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := start(t)
	b := newBrowser(t, base, 1440)
	b.open("/workspaces")
	b.write(`.new-workspace [name="title"]`, "County archive\r")
	b.until(`location.pathname === "/w/county-archive/" && !!document.querySelector('[data-testid="load-sample"]')`)
	b.click(sel("load-sample"))
	b.until(`location.pathname === "/w/county-archive/documents" && ` + counted + ` === ` + quote(strconv.Itoa(len(sample.Files()))))
	b.open("/w/county-archive/ask")
	question := sample.Try()[0]
	b.ask(question.Question)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done" && location.pathname.startsWith("/w/county-archive/ask/")`)
	if answer := b.text(sel("answer")); !strings.Contains(answer, question.Answer) {
		t.Errorf("the answer %q does not hold %q", answer, question.Answer)
	}
	b.open("/w/county-archive/graph")
	b.until(pictured)
	b.shoot("workspaces-graph")
	b.open("/documents") // the workspace that was opened last
	b.until(`location.pathname === "/w/county-archive/documents"`)
	b.click(".top .menu > summary")
	b.shoot("workspaces-menu")
	b.click(`.top .menu a[href="/w/library/"]`)
	b.until(`location.pathname === "/w/library/" && !!document.querySelector('[data-testid="load-sample"]')`)
	if counts := js[string](b, counted); counts != "" {
		t.Errorf("the first workspace counts %q", counts)
	}
	for _, width := range []int{1440, 390} {
		b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(int64(width), 900)))
		b.open("/w/library/workspaces")
		b.until(`document.querySelectorAll('[data-testid="workspaces"] tbody tr').length === 2`)
		b.fits(width)
		b.shoot("workspaces-" + strconv.Itoa(width))
	}
	b.archived("county-archive")
	b.open("/w/library/workspaces")
	b.click(`[data-testid="workspaces"] tr:not([aria-current="true"]) summary`)
	b.click(`[data-testid="workspaces"] form[action$="/county-archive/delete"] button`)
	b.until(`document.querySelector("#undo").textContent.includes("County archive was deleted")`)
	b.click(sel("undo"))
	b.until(`document.querySelectorAll('[data-testid="workspaces"] tbody tr').length === 2`)
	b.quiet()
}

// archived archives a workspace, looks for forms on its pages, and restores it.
func (b *browser) archived(name string) {
	b.t.Helper()
	b.open("/w/library/workspaces")
	b.click(`[data-testid="workspaces"] tr:not([aria-current="true"]) summary`)
	b.click(`[data-testid="workspaces"] form[action$="/archive"] button`)
	b.until(`document.querySelector("#undo").textContent.includes("is archived")`)
	b.shoot("workspaces-archived")
	for _, path := range []string{"/", "/ask", "/documents", "/conversations", "/graph", "/schema", "/evaluation", "/people", "/tokens", "/runs", "/summaries", "/review"} {
		b.open("/w/" + name + path)
		shown := js[[]string](b, `[...document.querySelectorAll('form[method="post"]:not(.holds), form.holds button, [formmethod="post"]')].filter((f) => f.checkVisibility()).map((f) => f.getAttribute("action") ?? f.textContent)`)
		if len(shown) != 1 || shown[0] != "/w/"+name+"/workspaces/"+name+"/restore" {
			b.t.Errorf("%s of an archived workspace shows the forms %q", path, shown)
		}
		if path == "/conversations" && !js[bool](b, `document.querySelector('[data-testid="talks"] a').checkVisibility()`) {
			b.t.Error("a conversation of an archived workspace is not listed")
		}
		b.fits(390)
		b.shoot("archived-" + path[1:])
	}
	b.click(`[data-testid="archived"] button`)
	b.until(`location.pathname === "/w/` + name + `/" && !document.querySelector('[data-testid="archived"]')`)
}
