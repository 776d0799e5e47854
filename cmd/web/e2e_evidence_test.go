//go:build e2e

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	chrome "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
)

// TestAnAnswerLeadsIntoTheGraph asks, looks at the part of the graph that the
// evidence came from, opens it in the explorer, and saves it.
func TestAnAnswerLeadsIntoTheGraph(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		suffix := map[int]string{1440: "", 390: "-phone"}[width]
		dir := b.saves()
		b.open("/ask")
		b.ask("Who designed Copper Bridge?")
		b.until(`document.querySelector('[data-testid="turn"]')?.dataset.status === "done" || document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
		js[any](b, `document.querySelector('[hx-trigger="revealed"]')?.scrollIntoView()`)
		b.until(`!!document.querySelector('.turn [data-testid="graph-picture"]')`)
		b.fits(width)
		b.shoot("answer-graph" + suffix)
		names := js[string](b, `[...document.querySelectorAll('.turn [data-testid="graph-picture"] text')].map(t => t.textContent).join("|")`)
		if !strings.Contains(names, "Copper Bridge") {
			t.Errorf("the picture names %s", names)
		}
		b.click(`.turn [data-testid="graph-picture"] a`)
		b.until(pictured + ` && location.search.includes("answer=")`)
		for name := range strings.SplitSeq(names, "|") {
			if !js[bool](b, `document.querySelector("#graph-picture").picture.ranked.some(a => a.name === `+quote(name)+`)`) {
				t.Errorf("the explorer has no %s", name)
			}
		}
		b.fits(width)
		b.shoot("graph-evidence" + suffix)
		b.click(sel("export"))
		b.click(sel("export-graphml"))
		file := b.saved(dir)
		text, err := parse.New(parse.Limits{}).Parse(t.Context(), "graph", domain.FormatGraph, file)
		if err != nil || !strings.Contains(text.Content, "Copper Bridge (") {
			t.Errorf("the file says %q, %v", text.Content, err)
		}
		b.quiet()
	}
}

// saves makes the tab save files, and returns the folder.
func (b *browser) saves() string {
	b.t.Helper()
	dir := b.t.TempDir()
	b.must(chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, chrome.SetDownloadBehavior, chrome.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: dir})
		return err
	})))
	return dir
}

// saved waits for a file in the folder, and returns and removes it.
func (b *browser) saved(dir string) []byte {
	b.t.Helper()
	for deadline := time.Now().Add(browserTimeout); time.Now().Before(deadline); wait(b.ctx, 25*time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(found) != 1 || strings.HasSuffix(found[0], ".crdownload") {
			continue
		}
		content, err := os.ReadFile(found[0])
		b.must(err)
		b.must(os.Remove(found[0]))
		return content
	}
	b.t.Fatal("no file was saved")
	return nil
}
