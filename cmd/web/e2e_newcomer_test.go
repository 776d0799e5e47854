//go:build e2e

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/llm/minilm"
)

// meaning returns the setting for search by meaning, "" where the files of the built-in embedding model have not been fetched.
func meaning(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../data/minilm")
	noError(t, err)
	for _, dir := range []string{os.Getenv("MINILM_DIR"), dir} {
		if dir != "" && minilm.Fetched(dir) {
			return "MINILM_DIR=" + dir
		}
	}
	return "EMBED_PROVIDER=none"
}

// TestANewcomerWithTheirOwnFiles adds twenty files of fourteen kinds to an empty library, asks twelve questions in plain words, opens
// sources of five kinds, and looks at what came of them. Nothing is claimed that no file says, and nothing is refused that one says.
func TestANewcomerWithTheirOwnFiles(t *testing.T) {
	t.Parallel()
	embeds := meaning(t)
	base, _ := start(t, embeds)
	b := newBrowser(t, base, 1440)
	addHousehold(b)

	right := 0
	opens := map[string]bool{".pdf": true, ".csv": true, ".xlsx": true, ".pptx": true, ".epub": true}
	for i, q := range householdQuestions() {
		b.open("/ask")
		b.ask(q.question)
		b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
		b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
		b.shoot("newcomer-" + strconv.Itoa(i+1))
		sentences := js[string](b, `[...document.querySelectorAll(".best, .near > li")].map((e) => e.innerText).join("\n")`)
		switch found := strings.Contains(sentences, q.answer); {
		case q.file == "":
			if b.count(sel("nothing-near")) != 1 || b.count(".turn mark, .turn .cite") != 0 {
				t.Errorf("%s is in no file, and it shows %q", q.question, sentences)
			}
		case found && strings.Contains(sentences, q.file):
			right++
		default:
			t.Logf("%s is in %s, and it shows %q", q.question, q.file, sentences)
		}
		if ext := filepath.Ext(q.file); opens[ext] && b.count(sel("cite")) > 0 {
			opens[ext] = false
			opensItsSource(b, q)
		}
	}
	if least := map[bool]int{true: 9, false: 7}[embeds != "EMBED_PROVIDER=none"]; right < least {
		t.Errorf("%d of 10 answers are shown with %s, want at least %d", right, embeds, least)
	}
	for ext, left := range opens {
		if left {
			t.Errorf("no source of a %s was opened", ext)
		}
	}
	b.quiet()
	looksAround(b)
}

// addHousehold chooses all files at once and waits until they are read.
func addHousehold(b *browser) {
	b.t.Helper()
	var paths []string
	dir := b.t.TempDir()
	for _, p := range household() {
		paths = append(paths, filepath.Join(dir, p.name))
		noError(b.t, os.WriteFile(paths[len(paths)-1], p.data, 0o600))
	}
	b.open("/")
	b.until(`!!document.querySelector('input[type="file"][multiple]')`)
	b.must(chromedp.Do(b.ctx, chromedp.SetUploadFiles(`input[type="file"][multiple]`, paths)))
	b.until(`location.pathname === "/w/library/documents" && ` + counted + ` === "20"`)
	b.open("/documents")
	b.until(`[...document.querySelectorAll('[data-testid="document"]')].filter((d) => ["ready", "empty"].includes(d.dataset.status)).length === 20`)
	b.until(`document.querySelector('[data-testid="shown"]').textContent === "1 to 20 of 20"`)
	if b.count(sel("retry-failed")) != 0 {
		b.t.Error("no file failed, and it offers to retry")
	}
	b.fits(1440)
	b.shoot("newcomer-documents")
}

// opensItsSource opens the first citation, and looks for the marked words.
func opensItsSource(b *browser, q plainQuestion) {
	b.t.Helper()
	if wide := js[bool](b, `((f) => f.scrollWidth > f.clientWidth + 1)(document.querySelector("#trace .tg-frame, .trace .tg-frame"))`); wide {
		b.t.Errorf("%s: the drawing of the run is cut off", q.question)
	}
	b.click(sel("cite"))
	b.until(`document.querySelector('[data-testid="source"] [data-testid="hit"]')?.textContent.trim()`)
	if said := b.text(sel("source")); !strings.Contains(said, q.answer) && strings.Contains(b.text(".best"), q.answer) {
		b.t.Errorf("the source of %s does not hold %q: %s", q.question, q.answer, squeeze(said))
	}
	b.shoot("newcomer-source" + strings.ReplaceAll(filepath.Ext(q.file), ".", "-"))
}

// looksAround opens the pages that a newcomer opens next, on a wide screen and on a phone, in both colours.
func looksAround(b *browser) {
	b.t.Helper()
	for _, width := range []int{1440, 390} {
		b.wide(int64(width))
		for _, path := range []string{"/", "/ask", "/documents", "/graph", "/review", "/settings", "/runs"} {
			b.open(path)
			b.settle()
			if path == "/graph" {
				b.until(pictured)
				if said := b.text("main"); !strings.Contains(said, "Person") {
					b.t.Errorf("the graph shows nobody: %s", squeeze(said))
				}
			}
			if path == "/ask" {
				b.until(`document.querySelectorAll(".question-row, .try button").length >= 3`)
			}
			b.fits(width)
			name := "newcomer" + strings.ReplaceAll(path, "/", "-") + "-" + strconv.Itoa(width)
			b.shoot(name)
			js[any](b, `document.documentElement.dataset.theme = "dark"; document.getAnimations().forEach((a) => a.finish())`)
			b.shoot(name + "-dark")
		}
	}
	b.quiet()
}

// TestSmallThingsThatANewcomerMeets leaves a list before it has loaded, goes where nothing is, and tests a connection without a model.
func TestSmallThingsThatANewcomerMeets(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t, "EMBED_PROVIDER=none")
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	for range 3 {
		js[any](b, `location.href = "/entities?q="`)
		js[any](b, `location.href = "/runs"`)
		b.until(`location.pathname === "/w/library/runs" && document.readyState === "complete"`)
	}
	b.quiet()

	b.wide(390)
	for _, path := range []string{"/documents", "/graph"} {
		b.open(path)
		b.settle()
		if narrow := js[string](b, `[...document.querySelectorAll(".seg .btn")].filter((e) => e.checkVisibility() && e.textContent.trim() && parseFloat(getComputedStyle(e).paddingLeft) < 4).map((e) => e.textContent.trim()).join()`); narrow != "" {
			t.Errorf("on a phone, %s is narrow on %s", narrow, path)
		}
		b.shoot("phone-group" + strings.ReplaceAll(path, "/", "-"))
	}
	b.wide(1440)

	b.open("/nowhere")
	if said := squeeze(b.text("main")); strings.Count(said, "does not exist") != 1 || strings.Contains(said, "Not found") {
		t.Errorf("a page that does not exist says %q", said)
	}
	b.shoot("nowhere")
	b.open("/settings")
	if said := squeeze(b.text("#row-embed .is")); !strings.Contains(said, "words alone") {
		t.Errorf("without embeddings, the row says %q", said)
	}
	b.click(sel("test-model"))
	b.until(`document.querySelector("#checks")?.textContent.trim()`)
	if said := squeeze(b.text("#checks")); strings.Contains(said, "works") {
		t.Errorf("without a model, the test says %q", said)
	}
	b.shoot("test-without-a-model")
	b.open("/ask")
	b.ask("Welche Zyxelbrane hat der Quorl glimmeriert?")
	b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
	if said := squeeze(b.text(".turn:last-child")); strings.Contains(said, "Nothing close") || !strings.Contains(said, "Es wurde nichts Naheliegendes gefunden.") {
		t.Errorf("in German, it refuses with %q", said)
	}
	b.shoot("refused-in-german")
	b.quiet("404")
}
