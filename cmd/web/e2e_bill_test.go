//go:build e2e

package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestABillIsSeenAndACapRaised drops a folder to be read by a schema with the bill
// first, says yes, meets a cap, raises it, and finds its file read; then has a site fetched and
// read. On a wide screen and on a phone.
func TestABillIsSeenAndACapRaised(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Any, llmtest.Call("knowledge_graph", map[string]any{"nodes": []map[string]any{{"id": "Anna Quill", "label": "Person", "properties": []any{}}}, "relationships": []any{}}).Using(90, 10))
	base, _ := start(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool", "CHUNK_TOKENS=32", "EXTRACT_WINDOW=0", "WEB_ALLOW=127.0.0.1")
	reading := llmtest.Tool("knowledge_graph")
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		before := model.Calls(reading)
		b.open("/usage")
		b.fillCap(100*before + 250)
		b.open("/documents")
		b.until(`document.querySelector('[data-testid="from-web"]').compareDocumentPosition(document.querySelector('[data-testid="upload-options"]')) & Node.DOCUMENT_POSITION_FOLLOWING`) // Tab goes as it is seen
		b.click(sel("upload-options") + " summary")
		b.click(sel("upload-options") + " " + sel("hold"))
		js[any](b, `document.querySelector('[data-testid="upload-options"] [data-testid="schema-choice"]').value = "minutes"`)
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("minutes-%d", width))
		name := filepath.Base(dir) + "/1871/may.txt"
		var text strings.Builder
		for day := range 8 { // passages that differ: each is a call
			fmt.Fprintf(&text, "Anna Quill greeted Maud Ferring at the old mill on day %d of %d. It rained for a long while on copper and tin.\n\n", day, width)
		}
		file(t, dir, "1871/may.txt", text.String())
		file(t, dir, "mill.psd", "8BPS")
		file(t, dir, ".git/config.txt", "It is hidden.")
		b.dropFolder(dir)
		b.until(`document.querySelectorAll("#uploads [data-outcome]").length === 3 && !!document.querySelector("#uploads-sum a")`)
		if said := b.text("#uploads"); !strings.Contains(said, "mill.psd") || !strings.Contains(said, "Hidden files") || !strings.Contains(b.text("#uploads-sum"), "1 added, 2 left out, of 3 files") {
			t.Errorf("of the folder the page says %q, %q", b.text("#uploads-sum"), said)
		}
		b.fits(width)
		b.shoot("folder-" + strconv.Itoa(width))
		b.click("#uploads-sum a")
		row := `[data-testid="document"][data-name="` + name + `"]`
		b.until(`document.readyState === "complete" && !!document.querySelector(` + quote(row+` [data-testid="held"]`) + `)`)
		said, passages, calls := b.text(row+` [data-testid="held"]`), 0, 0
		if _, err := fmt.Sscanf(said, "Reading it would take %d passages, %d calls,", &passages, &calls); err != nil || passages < 8 || calls != passages || model.Calls(reading) != before {
			t.Errorf("the bill says %q, after %d calls: %v", said, model.Calls(reading)-before, err)
		}
		b.fits(width)
		b.shoot("held-" + strconv.Itoa(width))
		b.click(row + ` [data-act="read"]`)
		b.until(`!!document.querySelector(` + quote(row+` [data-testid="raise"]`) + `)`)
		b.fits(width)
		b.shoot("at-cap-" + strconv.Itoa(width))
		b.click(row + ` [data-testid="raise"]`)
		b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="cap-reached"][data-scope="day"]')`)
		b.fits(width)
		b.shoot("cap-reached-" + strconv.Itoa(width))
		b.fillCap(100_000)
		b.open("/documents")
		b.until(`document.querySelector(` + quote(row) + `)?.dataset.status === "ready"`)
		if n := model.Calls(reading) - before; n != passages {
			t.Errorf("%d calls for %d passages", n, passages)
		}
		b.click(row + ` h3 a`)
		b.until(`document.readyState === "complete" && document.querySelector("main").textContent.includes("of the schema minutes")`)
		b.fetchesASite(width)
		b.quiet()
	}
}

// fetchesASite has a site fetched with its bill first, and says yes.
func (b *browser) fetchesASite(width int) {
	b.t.Helper()
	site := newScriptedSite(b.t)
	site.set("/docs/", fmt.Sprintf(`<title>Bells %d</title><p>Anna Quill cast the bell of %d pounds.</p><a href="school">school</a>`, width, width))
	site.set("/docs/school", fmt.Sprintf(`<title>School %d</title><p>Anna Quill taught %d children.</p>`, width, width))
	b.open("/documents")
	b.click(sel("from-web"))
	form := sel("web-form") + " "
	b.write(form+`[name="address"]`, site.URL+"/docs/")
	js[any](b, `(() => {
		const form = document.querySelector('[data-testid="web-form"]');
		form.querySelector('[name="what"]').value = "site";
		form.querySelector('[name="rate"]').value = "20";
	})()`)
	b.click(form + sel("hold"))
	b.fits(width)
	b.shoot("web-form-" + strconv.Itoa(width))
	b.click(form + `button[type="submit"]`)
	b.until(`location.pathname.startsWith("/w/library/runs/") && document.readyState === "complete"`)
	b.fits(width)
	b.open("/documents")
	b.until(`document.readyState === "complete" && document.querySelectorAll('[data-testid="document"] [data-testid="held"]').length === 2`)
	b.fits(width)
	b.shoot("web-held-" + strconv.Itoa(width))
	for _, page := range []string{"docs.html", "docs school.html"} {
		row := `[data-testid="document"][data-name="127.0.0.1 ` + page + `"]:has([data-testid="held"])`
		if said := b.text(row + " " + sel("held")); !strings.Contains(said, "Reading it would take 1 passage, 1 call,") {
			b.t.Errorf("the bill of %s says %q", page, said)
		}
		id := js[string](b, `document.querySelector(`+quote(row)+`).id`)
		b.click(row + ` [data-act="read"]`)
		b.until(`document.readyState === "complete" && document.getElementById(` + quote(id) + `)?.dataset.status === "ready"`)
	}
}

// fillCap sets the cap of a day, in tokens, on the page Usage.
func (b *browser) fillCap(tokens int) {
	b.t.Helper()
	js[any](b, `(() => {
		const field = document.querySelector('main form [name="day"]');
		field.value = "`+strconv.Itoa(tokens)+` tokens";
		field.form.requestSubmit();
	})()`)
	b.until(`document.readyState === "complete" && location.search.includes("done=caps")`)
}

// dropFolder drops a folder of the disk onto the page.
func (b *browser) dropFolder(dir string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && !!document.querySelector("[data-drop-anywhere]")`)
	for _, event := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		_, err := chromedp.Call(b.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: event, X: 100, Y: 300, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: []string{dir}, DragOperationsMask: 1},
		})
		b.must(err)
	}
}

// drop chooses a file in the form that uploads files.
func (b *browser) drop(name, content string) {
	b.t.Helper()
	b.settle()
	js[any](b, `(() => {
		const files = new DataTransfer(), field = document.querySelector('[data-testid="files"]');
		files.items.add(new File([`+quote(content)+`], `+quote(name)+`, { type: "text/plain" }));
		field.files = files.files;
		field.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
}
