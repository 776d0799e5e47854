//go:build e2e

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/testkit/chromium"
)

// patience is how long the browser may take for anything. The machines that
// run this are slow and shared.
const patience = 60 * time.Second

// browser is one tab of a headless Chromium. What a page complains about is
// kept and fails the test.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu     sync.Mutex
	errors []string
}

// newBrowser opens a tab on the pages at base, width pixels wide.
func newBrowser(t *testing.T, base string, width int) *browser {
	t.Helper()
	b := &browser{t: t, ctx: chromium.Tab(t, int64(width), 900), base: base}
	t.Cleanup(func() {
		if t.Failed() {
			b.leaveEvidence()
		}
	})
	go b.listen()
	return b
}

// listen keeps what the console says: errors, exceptions, and every breach of
// the content security policy.
func (b *browser) listen() {
	for m := range chromedp.Console(b.ctx) {
		if m.Type == "error" || m.Type == chromedp.ConsoleException || strings.Contains(m.Text, "Content Security Policy") {
			b.mu.Lock()
			b.errors = append(b.errors, fmt.Sprintf("%s: %s", m.Type, m.Text))
			b.mu.Unlock()
		}
	}
}

// quiet fails the test when a page has complained about anything that allowed
// does not name.
func (b *browser) quiet(allowed ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, e := range b.errors {
		for _, a := range allowed {
			if strings.Contains(e, a) {
				continue next
			}
		}
		b.t.Errorf("the console says %s", e)
	}
	b.errors = nil
}

func (b *browser) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// open goes to a page.
func (b *browser) open(path string) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.base+path)))
}

// js is the value of a JavaScript expression. A page that is just being
// replaced gives the zero value.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil && b.ctx.Err() != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to hold.
func (b *browser) until(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !js[bool](b, expression) {
		if time.Now().After(deadline) {
			b.t.Fatalf("waited %s for %s", patience, expression)
		}
		wait(b.ctx, 25*time.Millisecond)
	}
}

// wait rests between two looks at a page: the browser has no signal to wait
// for.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// sel is the CSS selector of a test id.
func sel(id string) string { return `[data-testid="` + id + `"]` }

// text is what the first element of a selector says.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return js[string](b, `(document.querySelector(`+quote(selector)+`)?.textContent ?? "")`)
}

// count is how many elements a selector finds.
func (b *browser) count(selector string) int {
	b.t.Helper()
	return js[int](b, `document.querySelectorAll(`+quote(selector)+`).length`)
}

// settle waits until the page has been loaded and its scripts listen.
func (b *browser) settle() {
	b.t.Helper()
	b.until(`document.readyState === "complete"`)
}

// press presses a key on a page whose scripts listen.
func (b *browser) press(key string) {
	b.t.Helper()
	b.settle()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(key)))
}

// write types into the first element of a selector.
func (b *browser) write(selector, text string) {
	b.t.Helper()
	b.settle()
	b.must(chromedp.Do(b.ctx, chromedp.SendKeys(selector, text)))
}

// click clicks the first element of a selector, once it is there.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && !!document.querySelector(` + quote(selector) + `)`)
	b.must(chromedp.Do(b.ctx, chromedp.Click(selector, chromedp.NodeVisible)))
}

// ask types a question and sends it with the Enter key.
func (b *browser) ask(question string) {
	b.t.Helper()
	b.until(`!!document.querySelector('[data-testid="ask"]')`)
	b.write(sel("question"), question+"\r")
	b.until(`location.pathname.length > 5 && [...document.querySelectorAll('.question')].some(q => q.textContent === ` + quote(question) + `)`)
}

// times is how often the drawn graph says a node was visited.
func (b *browser) times(node string) string {
	b.t.Helper()
	return js[string](b, `(document.querySelector('#trace [data-testid="node"][data-node=`+quote(node)+`]')?.dataset.times ?? "")`)
}

// shoot keeps a picture of the window where CLEW_PICTURES names a folder.
func (b *browser) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("CLEW_PICTURES")
	if dir == "" {
		return
	}
	b.picture(filepath.Join(dir, name+".png"))
}

func (b *browser) picture(path string) {
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(path, png, 0o644)
	}
	if err != nil {
		b.t.Logf("picture: %v", err)
	}
}

// leaveEvidence keeps what a failed test was looking at.
func (b *browser) leaveEvidence() {
	dir, err := os.MkdirTemp("", "clew-browser-")
	if err != nil {
		return
	}
	b.picture(filepath.Join(dir, "page.png"))
	html, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.documentElement.outerHTML`))
	if err == nil {
		_ = os.WriteFile(filepath.Join(dir, "page.html"), []byte(html), 0o644)
	}
	b.t.Logf("the page as it was: %s", dir)
}

// quote is a JavaScript string.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
