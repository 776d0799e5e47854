//go:build e2e

package viewstest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

// snap saves a picture of the whole page if CLEW_SNAPS names a folder.
func snap(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("CLEW_SNAPS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		t.Log(err)
	}
}

// all becomes true once every chart of the page has its picture.
const all = `document.querySelectorAll(".figure[data-script]").length > 0 && [...document.querySelectorAll(".figure[data-script]")].every((f) => f.querySelector(".figure-picture svg path"))`

func TestEveryTypeOfChartIsDrawn(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	for _, width := range []int64{1440, 390} {
		do(ctx, t, chromedp.EmulateViewport(width, 7200), chromedp.Navigate(s.URL+"/ask/chart"))
		until(ctx, t, all)
		until(ctx, t, `document.documentElement.scrollWidth <= innerWidth`)
		snap(ctx, t, "types-"+map[int64]string{1440: "wide", 390: "phone"}[width])
		dark := evaluate(ctx, t, `document.querySelector(".figure-picture").innerHTML`)
		do(ctx, t, chromedp.Evaluate[chromedp.Void](`document.documentElement.dataset.theme = "dark"`))
		until(ctx, t, all)
		if light := evaluate(ctx, t, `document.querySelector(".figure-picture").innerHTML`); light == dark {
			t.Error("the colours did not change with the theme")
		}
		snap(ctx, t, "types-dark-"+map[int64]string{1440: "wide", 390: "phone"}[width])
	}
}

func TestAChartComesWhileTextStreams(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.EmulateViewport(1440, 1000), chromedp.Navigate(s.URL+"/ask/charting"), chromedp.WaitReady(`.turn[data-live]`))
	places := `[...document.querySelector("#text-r6").children].map((e) => e.localName + (e.dataset.status ?? "")).join()`
	s.send(t, "10", "text", `"The tolls rose.\n\nThe wages did not"`)
	until(ctx, t, places+` === "p,figuresuccess,p,figurepending"`)
	until(ctx, t, all)
	if evaluate(ctx, t, `document.querySelector("#text-r6 > p:nth-of-type(2) .caret") ? "caret" : ""`) == "" {
		t.Error("the caret is not at the end of the text")
	}
	evaluate(ctx, t, `document.querySelector(".figure svg").dataset.mine = "yes"`)
	s.send(t, "11", "token", `" rise.\n\nNobody says why."`)
	until(ctx, t, places+` === "p,figuresuccess,p,figurepending,p"`)
	done := Counted()
	done.ID, done.Paragraph = "call_2", 2
	s.send(t, "12", "figure", markup(t, partial.Figure(figure(done))))
	until(ctx, t, places+` === "p,figuresuccess,p,figuresuccess,p" && `+all)
	s.send(t, "13", "written", `{}`)
	until(ctx, t, `!document.querySelector(".caret")`)
	end := ChartTurn(partial.TurnDone)
	end.Figures = []domain.Figure{Wages(), done}
	s.send(t, "14", "answer", markup(t, partial.Answer(end)))
	s.send(t, "15", "end", "{}")
	until(ctx, t, `document.querySelector("#answer-r6").dataset.status === "done" && !document.querySelector("[data-live]")`)
	if evaluate(ctx, t, `document.querySelector(".figure svg").dataset.mine ?? ""`) != "yes" {
		t.Error("the picture was redrawn when the answer was finished")
	}
	snap(ctx, t, "streamed")
}

func TestAChartLeadsToItsSources(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.URL+"/ask/chart"))
	until(ctx, t, all)
	do(ctx, t, chromedp.Evaluate[chromedp.Void](`document.querySelector("#figure-r6-call_1").scrollIntoView()`))
	// A click on a bar opens the source that its number in the table links to.
	at := evaluate(ctx, t, `(() => {
		const bars = document.querySelectorAll("#figure-r6-call_1 svg path");
		const bar = [...bars].find((p) => p.getAttribute("fill") === getComputedStyle(document.documentElement).getPropertyValue("--series-1").trim() && p.getBoundingClientRect().height > 60 && p.getBoundingClientRect().width > 14);
		const r = bar.getBoundingClientRect(); return JSON.stringify([r.left + r.width / 2, r.top + r.height / 2]);
	})()`)
	var x, y float64
	if err := json.Unmarshal([]byte(at), &[]any{&x, &y}); err != nil {
		t.Fatal(err)
	}
	do(ctx, t, chromedp.MouseClickXY(x, y))
	until(ctx, t, `location.pathname === "/ask/k1/figures/m6/call_1/source/2"`)
	do(ctx, t, chromedp.Navigate(s.URL+"/ask/chart"))
	until(ctx, t, all)
	do(ctx, t, chromedp.Click(`#figure-r6-call_1 [data-figure-view="table"]`), chromedp.Click(`#figure-r6-call_1 [data-testid="figure-cite"]`))
	until(ctx, t, `location.pathname === "/ask/k1/figures/m6/call_1/source/1"`)
}

func TestAChartIsSaved(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.URL+"/ask/chart"))
	until(ctx, t, all)
	do(ctx, t, chromedp.Evaluate[chromedp.Void](`URL.createObjectURL = (b) => { b.arrayBuffer().then((a) => { window.made = [b.type, a.byteLength, new TextDecoder().decode(a.slice(0, 4000))] }); return "#" }`))
	for kind, begin := range map[string]string{"svg": "<svg", "png": "\ufffdPNG"} {
		do(ctx, t, chromedp.Evaluate[chromedp.Void](`window.made = null`), chromedp.Click(`[data-figure-save="`+kind+`"]`))
		until(ctx, t, `!!window.made || !document.getElementById("alert").hidden`)
		if text := evaluate(ctx, t, `window.made?.[2] ?? document.getElementById("alert").textContent`); !strings.HasPrefix(text, begin) {
			t.Errorf("the %s file begins %.40q", kind, text)
		}
		if size := evaluate(ctx, t, `String(window.made[1])`); len(size) < 4 {
			t.Errorf("the %s file has %s bytes", kind, size)
		}
	}
}
