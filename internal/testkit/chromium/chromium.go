// Package chromium gives tests tabs of one headless Chromium, which starts with the first tab and ends with the process.
package chromium

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/testkit/tempdir"
)

// startTimeout bounds the start of the browser on a machine that is busy.
const startTimeout = 3 * time.Minute

// Program returns the path of the browser that tests use, or "" if none is installed: the one that CHROME names, or the
// shell that Debian packages, the same engine without the windows of a desktop, which needs half the processor time.
func Program() string {
	if path := os.Getenv("CHROME"); path != "" {
		return path
	}
	for _, name := range []string{"chromium-headless-shell", "headless_shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// browser is the context of the running browser.
var browser = sync.OnceValues(func() (context.Context, error) {
	profile, err := tempdir.New("chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(startTimeout), chromedp.UserDataDir(profile),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	if path := Program(); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx)
})

// Tab opens a tab of the given size, in pixels, until the test ends. It shares no cookies or storage with other tabs
// and behaves as if it had the focus.
func Tab(t testing.TB, width, height int64) context.Context {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(closeTab)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height), focused); err != nil {
		t.Fatal(err)
	}
	return ctx
}

var focused = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return err
})
