//go:build e2e

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/link"
)

// guide is a file of three pages, one of them with words that a line end, a ligature and a hyphen take apart.
const guide = `<!DOCTYPE html><html lang="en"><title>A Guide to the Bridges of Velmdale</title>
<style>p { width: 320px; hyphens: manual; font-size: 20px; line-height: 30px } section { break-after: page }</style>
<section><h1>A Guide to the Bridges of Velmdale</h1><p>The Weir Bridge is of stone. It was built by nobody that we know.</p></section>
<section><h2>Copper Bridge, Osterby</h2><p>The path comes down through orchards.</p>
<p>Henrike Aldous designed Copper Bridge for foot pas&shy;sengers only, of&#xfb01;cially, be&shy;tween the or&shy;chards and the coun&shy;cil hall.</p>
<p>Eleven lamps hang beneath its roof.</p></section>
<section><h2>Advice to walkers</h2><p>Carry bread, since there is no shop.</p></section></html>`

// printed returns a page of HTML as the PDF file that the browser prints.
func (b *browser) printed(html string) []byte {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate("data:text/html;charset=utf-8;base64,"+base64.StdEncoding.EncodeToString([]byte(html)))))
	pdf, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		printed, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{})
		return printed.Data, err
	})
	b.must(err)
	return pdf
}

// TestAPDFCitationOnItsPage asks for what stands on the second page of a file, and follows the citation to the page.
func TestAPDFCitationOnItsPage(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	b := newBrowser(t, "", 1440)
	path := filepath.Join(t.TempDir(), "guide.pdf")
	if err := os.WriteFile(path, b.printed(guide), 0o600); err != nil {
		t.Fatal(err)
	}
	shell{data: data}.must(t, "ingest", path)
	base := startOn(t, data)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.Ask)
		b.ask("Who designed Copper Bridge?")
		b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done" && !!document.querySelector('[data-testid="cite"]')`)
		b.click(sel("cite"))
		b.until(`!!document.querySelector('[data-testid="source"] h2 a')`)
		b.until(`document.querySelector('.source [data-pdf]')?.dataset.state === "open" && document.querySelector('.source [data-pdf]').dataset.marked === "yes" && document.querySelector('.source [data-page="2"]').dataset.drawn === "yes"`)
		b.shoot(fmt.Sprint("pdf-source-", width))
		b.click(sel("source") + " h2 a")
		b.until(`document.querySelector('[data-pdf]')?.dataset.state === "open" && document.querySelector('[data-page="2"]')?.dataset.drawn === "yes"`)
		marked := js[string](b, `[...document.querySelectorAll(".pdf-page mark")].map((m) => m.textContent).join(" ")`)
		if got := strings.NewReplacer(" ", "", "\u00ad", "", "-", "", "\u2010", "", "ﬁ", "fi", "\uf001", "fi").Replace(marked); got != "HenrikeAldousdesignedCopperBridgeforfootpassengersonly,officially,betweentheorchardsandthecouncilhall." {
			t.Errorf("at %d px the page marks %q", width, marked)
		}
		b.until(`document.querySelector("[data-pdf-at]").textContent === "Page 2 of 3"`)
		inSight := js[bool](b, `(() => { const m = document.querySelector(".pdf-page mark").getBoundingClientRect(), p = document.querySelector("[data-pdf-pages]").getBoundingClientRect(); return m.top >= p.top && m.bottom <= p.bottom && m.height > 8 && m.width > 40; })()`)
		if !inSight {
			t.Errorf("at %d px the marked words are not in sight", width)
		}
		if width == 1440 {
			b.fillsTheWindow()
		}
		b.fits(width)
		b.shoot(fmt.Sprint("pdf-", width))
		js[any](b, `document.documentElement.dataset.theme = "dark"`)
		b.shoot(fmt.Sprint("pdf-dark-", width))
		b.click(`[data-pdf-show="text"]`)
		b.until(`document.querySelector('[data-testid="text"] mark').checkVisibility() && !document.querySelector("[data-pdf-pages]").checkVisibility()`)
		b.shoot(fmt.Sprint("pdf-text-", width))
		b.write("[data-find-within]", "bridge\r")
		b.until(`document.querySelector('[data-testid="found"]')?.textContent.startsWith("1 of ") && document.querySelector('[data-pdf]')?.dataset.marked === "yes"`)
		b.click(`[aria-label="Next place"]`)
		b.until(`document.querySelector('[data-testid="found"]')?.textContent.startsWith("2 of ") && document.querySelector('[data-pdf]')?.dataset.marked === "yes"`)
		if marked := b.text(".pdf-page mark"); !strings.EqualFold(marked, "bridge") {
			t.Errorf("at %d px %q is found, want a bridge", width, marked)
		}
		b.shoot(fmt.Sprint("pdf-found-", width))
		b.quiet()
	}
	b = newBrowser(t, base, 390)
	a := stored(t, data)
	found, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	b.open(link.Document(found[0].ID))
	b.until(`document.querySelector('[data-pdf]')?.dataset.state === "open" && document.querySelector('[data-page="1"]')?.dataset.drawn === "yes"`) // nothing is marked
	other := "Words that are printed nowhere."
	noError(t, a.ledger.SaveText(t.Context(), domain.DefaultWorkspace, found[0].ID, domain.Text{Content: other, Pages: []domain.Page{{Number: 2, Span: domain.Span{End: len(other)}}}}))
	b.open(link.Passage(found[0].ID, domain.Span{End: len(other)}))
	b.until(`document.querySelector('[data-pdf]')?.dataset.state === "open"`)
	b.until(`document.querySelector("[data-pdf-at]").textContent === "Page 2 of 3"`)
	if said := b.text("[data-pdf-says]"); b.count(".pdf-page mark") > 0 || !strings.Contains(said, "could not be found") {
		t.Errorf("words that the page does not hold: %q, %d marks", said, b.count(".pdf-page mark"))
	}
	opensALongText(t, a, base)
}

// fillsTheWindow looks at a file of pages on a wide screen: the page does not scroll, the file reaches the lower edge of the
// window, and what is known of it stands beside it, as high.
func (b *browser) fillsTheWindow() {
	b.t.Helper()
	at := js[map[string]float64](b, `(() => {
		const box = (s) => document.querySelector(s).getBoundingClientRect();
		const [pages, about, find, bar] = ["[data-pdf-pages]", ".reader > .about", ".find-within", ".viewer-bar"].map(box);
		return {
			scrolls: document.documentElement.scrollHeight - innerHeight, under: innerHeight - pages.bottom, high: pages.height / innerHeight,
			beside: about.left - pages.right, below: innerHeight - about.bottom, inBar: find.top >= bar.top && find.bottom <= bar.bottom ? 1 : 0,
		};
	})()`)
	if at["scrolls"] > 0 || at["under"] > 1 || at["high"] < 0.7 || at["beside"] < -1 || at["below"] > 1 || at["inBar"] != 1 {
		b.t.Errorf("the pages do not fill the window: %v", at)
	}
}

// opensALongText opens a megabyte of text, scrolls to its end part by part, follows the last heading of its contents, and prints
// how long it takes until the page is there. make bench-text opens it several times and holds the median against a limit.
func opensALongText(t *testing.T, a *app, base string) {
	t.Helper()
	var text strings.Builder
	var whole domain.Text
	for year := 900; year < 1800; year++ {
		title := fmt.Sprintf("In the year %d", year)
		whole.Headings = append(whole.Headings, domain.Heading{Level: 2, Text: title, Span: domain.Span{Start: text.Len(), End: text.Len() + len(title)}})
		text.WriteString(title + "\n\n" + strings.Repeat(fmt.Sprintf("The bells of %d were cast by hand and hung in the tower. ", year), 20) + "\n\n")
	}
	whole.Content = text.String()
	d := domain.Document{
		Workspace: domain.DefaultWorkspace, ID: "annals", Name: "annals.md", Title: "Annals", Format: domain.FormatMarkdown, Hash: domain.Hash([]byte("annals")),
		Status: domain.DocumentReady, Chars: domain.Runes(whole.Content),
	}
	_, _, err := a.ledger.AddDocument(t.Context(), d)
	noError(t, err)
	noError(t, a.ledger.SaveText(t.Context(), d.Workspace, d.ID, whole))
	b := newBrowser(t, base, 1440)
	timed := os.Getenv("CLEW_BENCH_TEXT") != ""
	var painted []float64
	if timed {
		b.countsThreads()
	}
	for range map[bool]int{true: 15, false: 1}[timed] {
		b.open(link.Document(d.ID))
		b.until(`performance.getEntriesByName("first-contentful-paint").length > 0 && performance.getEntriesByType("navigation")[0].loadEventEnd > 0`)
		took := js[[]float64](b, `(() => {
			const of = performance.getEntriesByType("navigation")[0], paint = performance.getEntriesByName("first-contentful-paint")[0];
			return [of.responseEnd - of.requestStart, of.encodedBodySize, of.domContentLoadedEventEnd, paint.startTime];
		})()`)
		t.Logf("a megabyte of text: answered after %.0f ms, %.0f bytes, parsed after %.0f ms, painted after %.0f ms", took[0], took[1], took[2], took[3])
		painted = append(painted, took[3])
		if timed {
			t.Log(b.threadTimes())
		}
	}
	slices.Sort(painted)
	if median := painted[len(painted)/2]; timed && median > 300 {
		t.Errorf("the median is %.0f ms, want at most 300", median)
	}
	b.until(`(document.querySelector(".toc .part")?.scrollIntoView(), document.querySelectorAll('.toc li[class^="level"]').length === 900)`)
	b.click(`.toc li:last-child a`)
	b.until(`document.readyState === "complete" && document.getElementById(decodeURIComponent(location.hash.slice(1)))?.textContent.includes("In the year 1799")`)
}

// countsThreads has the browser count the processor time of a page's main thread, which other work on the machine does not
// lengthen.
func (b *browser) countsThreads() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	b.must(err)
}

// threadTimes says what the main thread has used of the processor for the page.
func (b *browser) threadTimes() string {
	b.t.Helper()
	found, err := chromedp.Call(b.ctx, performance.GetMetrics, cdp.Empty{})
	b.must(err)
	said := "the main thread used"
	for _, m := range found.Metrics {
		if what, of := strings.CutSuffix(m.Name, "Duration"); of {
			said += fmt.Sprintf(" %.0f ms for %s,", 1000*m.Value, what)
		}
	}
	return said
}
