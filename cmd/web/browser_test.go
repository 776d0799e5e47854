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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/testkit/chromium"
)

// browser is a tab of a headless Chromium. Console errors are recorded and fail
// the test.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu     sync.Mutex
	errors []string
}

// newBrowser opens a tab of the given width for the pages at base.
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

// listen records console errors, exceptions and content security policy
// violations.
func (b *browser) listen() {
	for m := range chromedp.Console(b.ctx) {
		if m.Type == "error" || m.Type == chromedp.ConsoleException || strings.Contains(m.Text, "Content Security Policy") {
			b.mu.Lock()
			b.errors = append(b.errors, fmt.Sprintf("%s: %s", m.Type, m.Text))
			b.mu.Unlock()
		}
	}
}

// quiet fails the test if a page reported an error that allowed does not
// contain.
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

// open navigates to a page.
func (b *browser) open(path string) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.base+path)))
}

// js returns the value of a JavaScript expression, or the zero value while the
// page is being replaced.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil && b.ctx.Err() != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression is true. The page itself looks, which costs less than
// asking it each time, and is asked again after a while: it may have been replaced.
func (b *browser) until(expression string) {
	b.t.Helper()
	look := `new Promise((done) => {
		const late = performance.now() + 1000;
		(function look() {
			let is = false;
			try { is = !!(` + expression + `); } catch {}
			if (is || performance.now() > late) done(is);
			else setTimeout(look, 20);
		})();
	})`
	for deadline := time.Now().Add(hangs); ; {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise))
		cancel()
		switch {
		case is && err == nil:
			return
		case b.ctx.Err() != nil || time.Now().After(deadline):
			b.t.Fatalf("waited for %s: %v", expression, err)
		case err != nil: // the page is being replaced
			wait(b.ctx, 10*time.Millisecond)
		}
	}
}

// wait pauses between two polls of a page, because the browser offers no
// signal.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// sel returns the CSS selector of a test id.
func sel(id string) string { return `[data-testid="` + id + `"]` }

// text returns the text of the first element that matches.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return js[string](b, `(document.querySelector(`+quote(selector)+`)?.textContent ?? "")`)
}

// count returns the number of elements that match.
func (b *browser) count(selector string) int {
	b.t.Helper()
	return js[int](b, `document.querySelectorAll(`+quote(selector)+`).length`)
}

// settle waits until the page and its scripts have loaded.
func (b *browser) settle() {
	b.t.Helper()
	b.until(`document.readyState === "complete"`)
}

// press presses a key after the page has settled, as a keyboard does: what it types
// comes with the key, so that a handler can prevent it. [chromedp.KeyEvent] sends it
// by itself, and a field gets the character although its handler took the key.
func (b *browser) press(key string) {
	b.t.Helper()
	b.settle()
	b.must(chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range key {
			events := kb.Encode(r)
			down, up := events[0], events[len(events)-1]
			if len(events) == 3 {
				down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			}
			for _, e := range []*input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
		}
		return nil
	})))
}

// write types into the first element that matches, once it shows.
func (b *browser) write(selector, text string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && document.querySelector(` + quote(selector) + `)?.checkVisibility()`)
	b.must(chromedp.Do(b.ctx, chromedp.SendKeys(selector, text)))
}

// click waits until the first element that matches stands still and nothing is on its
// way, and clicks it. It tries again if the element moves away from under the pointer, as
// when the page scrolls to a field with a problem. A twin that replaces the element in
// the meantime, as live lists do, is as good: the window listens, not the element.
func (b *browser) click(selector string) {
	b.t.Helper()
	e := `document.querySelector(` + quote(selector) + `)`
	for range 20 {
		b.until(`document.readyState === "complete" && ((e) => {
			const at = e ? Object.values(e.getBoundingClientRect().toJSON()).join() : "";
			const still = at !== "" && window.stoodAt === at && !document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling");
			window.stoodAt = at;
			if (still) {
				window.missed = true;
				window.removeEventListener("click", window.sawClick, true);
				window.sawClick = (click) => { window.missed &&= !click.target.closest(` + quote(selector) + `) };
				window.addEventListener("click", window.sawClick, true);
			}
			return still;
		})(` + e + `)`)
		err := chromedp.Do(b.ctx, chromedp.Click(selector, chromedp.NodeVisible))
		if err != nil && !strings.Contains(err.Error(), "Could not find node") {
			b.t.Fatal(err)
		}
		if !js[bool](b, `!!window.missed && !!`+e) { // it was hit, or is gone
			return
		}
		js[any](b, e+`?.scrollIntoView({ block: "center" })`) // a note at the bottom may cover it
	}
	b.t.Fatalf("the pointer does not hit %s", selector)
}

// ask types a question and submits it with Enter.
func (b *browser) ask(question string) {
	b.t.Helper()
	b.until(`!!document.querySelector('[data-testid="ask"]')`)
	b.write(sel("question"), question+"\r")
	b.until(`location.pathname.includes("/ask/") && [...document.querySelectorAll('.question')].some(q => q.textContent === ` + quote(question) + `)`)
}

// times returns how often the drawn graph says a node was visited.
func (b *browser) times(node string) string {
	b.t.Helper()
	return js[string](b, `(document.querySelector('#trace [data-testid="node"][data-node=`+quote(node)+`]')?.dataset.times ?? "")`)
}

// shoot saves a screenshot if CLEW_PICTURES names a folder.
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

// leaveEvidence saves the page of a failed test.
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
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Logf("the page as it was: %s; the console says %q", dir, b.errors)
}

// quote returns a JavaScript string literal.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
