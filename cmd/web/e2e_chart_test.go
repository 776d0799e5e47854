//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

// rolls contains every number of the charts below.
const rolls = "The wage rolls of Pell Foundry\n\nIn 1908 the foundry cast 12 bells. In 1909 it cast 19 bells, and in 1910 it cast 31 bells for the towers of the valley."

// drafter is a model that calls for a chart, continues writing, and specifies
// the chart when it is allowed to.
type drafter struct {
	write, specify chan struct{}
	chart          llmtest.Reply
}

// charting scripts a model and serves a library with one document.
func charting(t *testing.T, a drafter) (*browser, *browser) {
	t.Helper()
	model := llmtest.New(t)
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", map[string]any{
		"nodes": []map[string]any{{"id": "Pell Foundry", "label": "Organization", "properties": []any{}}}, "relationships": []any{},
	}))
	model.On(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Says how many bells."}))
	model.On(llmtest.Tool("report_support"), llmtest.Call("report_support", map[string]any{"supported": []int{1, 2, 3, 4}}))
	model.On(llmtest.Tool("specify_chart"), a.chart.After(a.specify))
	model.On(llmtest.LastMessage("The chart is being made"), llmtest.Say("The foundry cast more bells each year [1].").EachAfter(a.write))
	model.On(llmtest.LastMessage("could not be made"), llmtest.Say("I am sorry, there is no chart. In 1910 it cast 31 bells [1]."))
	first := llmtest.Call("chart", map[string]any{"task": "bells cast by year"})
	first.Text = "The rolls count the bells [1]."
	model.On(llmtest.Tool("chart"), first)
	base, _ := start(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool")
	b := newBrowser(t, base, 1440)
	b.open("/documents")
	js[any](b, `fetch("/w/library/documents/text", { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams({ name: "rolls.txt", text: `+quote(rolls)+` }) })`)
	b.until(`!!document.querySelector('[data-testid="document"][data-status="ready"]')`)
	b.open("/ask")
	b.ask("Chart the bells that the foundry cast by year.")
	return b, newBrowser(t, base, 390)
}

// bells returns the specification of a chart of all three numbers.
func bells(values ...int) llmtest.Reply {
	var points []map[string]any
	for i, v := range values {
		points = append(points, map[string]any{"series": "", "category": []string{"1908", "1909", "1910"}[i], "x": 0, "value": v, "passage": 1, "count": 0})
	}
	return llmtest.Call("specify_chart", map[string]any{"type": "bar", "title": "Bells cast at Pell Foundry", "unit": "bells", "x": "Year", "y": "", "points": points})
}

// order lists the elements of the answer being written.
const order = `[...(document.querySelector('[data-text]')?.children ?? [])].map((e) => e.localName + (e.dataset.status ?? "")).join()`

func TestAChartComesWhileTheTextGoesOn(t *testing.T) {
	t.Parallel()
	a := drafter{make(chan struct{}), make(chan struct{}), bells(12, 19, 31)}
	b, phone := charting(t, a)
	b.until(order + ` === "p,figurepending"`)
	a.write <- struct{}{}
	a.write <- struct{}{}
	b.until(order + ` === "p,figurepending,p" && document.querySelector('[data-text]').textContent.includes("The foundry")`)
	busy := `[...document.querySelectorAll('#trace [data-testid="node"][data-state="now"]')].map((n) => n.dataset.node).join()`
	b.until(busy + ` === "generate,generate/model,generate/update_chart"`)
	b.shoot("chart-writing")

	late := newBrowser(t, b.base, 1024) // joins in the middle
	late.open(js[string](b, `location.pathname`))
	late.until(order + ` === "p,figurepending,p"`)

	close(a.specify)
	b.until(order + ` === "p,figuresuccess,p" && !!document.querySelector(".figure-picture svg path")`)
	late.until(order + ` === "p,figuresuccess,p"`)
	js[any](b, `document.querySelector(".figure svg").dataset.mine = "yes"`)
	if !js[bool](b, `!!document.querySelector("[data-text] .caret")`) {
		t.Error("the text had ended before the chart came")
	}
	close(a.write)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	if !js[bool](b, `document.querySelector(".figure svg")?.dataset.mine === "yes"`) {
		t.Error("the picture was redrawn at the end")
	}
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	b.shoot("chart")
	readAndSave(t, b)
	b.quiet()
	late.quiet()

	phone.open(js[string](b, `location.pathname.split("/source/")[0].split("/figures/")[0]`))
	phone.until(`!!document.querySelector(".figure-picture svg path")`)
	if wide := js[int](phone, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the chart is %d pixels wide on a screen of 390", wide)
	}
	js[any](phone, `document.querySelector(".figure").scrollIntoView()`)
	phone.shoot("chart-phone")
	phone.quiet()
}

// readAndSave follows numbers to their sources and exports the chart.
func readAndSave(t *testing.T, b *browser) {
	t.Helper()
	b.click(`[data-figure-view="table"]`)
	b.click(sel("figure-cite"))
	b.until(`!!document.querySelector('[data-testid="source"]')`)
	if marked := js[string](b, `[...document.querySelectorAll('[data-testid="source"] [data-testid="hit"]')].map(m => m.textContent).join(" ")`); !strings.Contains(marked, "12 bells") {
		t.Errorf("the source of the first number marks %q", marked)
	}
	b.shoot("chart-source")
	csv := js[string](b, `document.querySelector('[data-testid="figure-csv"]').href`)
	js[any](b, `fetch(`+quote(csv)+`).then(async (r) => { window.csv = await r.text() })`)
	b.until(`!!window.csv`)
	if text := js[string](b, `window.csv`); !strings.Contains(text, "1909,19,rolls.txt") {
		t.Errorf("the file holds %q", text)
	}
	js[any](b, `URL.createObjectURL = (made) => { made.text().then((text) => { window.made = made.type + text.slice(0, 4) }); return "#" }`)
	for kind, begins := range map[string]string{"svg": "image/svg+xml<svg", "png": "image/png"} {
		js[any](b, `window.made = ""`)
		b.click(`[data-figure-save="` + kind + `"]`)
		b.until(`!!window.made`)
		if made := js[string](b, `window.made`); !strings.HasPrefix(made, begins) {
			t.Errorf("saved as %s: %q", kind, made)
		}
	}
}

func TestAChartWithNumbersThatNobodySaidFails(t *testing.T) {
	t.Parallel()
	a := drafter{make(chan struct{}), make(chan struct{}), bells(12, 19, 9000)}
	close(a.specify)
	close(a.write)
	b, _ := charting(t, a)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	answer := b.text(sel("answer"))
	for _, says := range []string{"The chart could not be created:", "I am sorry, there is no chart.", "(Written before the chart failed.)"} {
		if !strings.Contains(answer, says) {
			t.Errorf("the answer does not say %q: %s", says, squeeze(answer))
		}
	}
	if n := b.count(".figure-picture, .figure-table"); n != 0 {
		t.Errorf("%d pictures or tables of a chart that failed", n)
	}
	b.shoot("chart-failed")
	b.quiet()
}

func TestCountsOfTheGraphAreChartedWithoutAModel(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	b.ask("Chart the entities by label.")
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	b.until(`!!document.querySelector(".figure-picture svg path")`)
	b.until(`document.querySelector('.convs [aria-current="true"]').textContent.trim() === "Chart the entities by label."`) // and nothing of its state
	light := js[string](b, `document.querySelector(".figure-picture").innerHTML`)
	b.click(`[data-theme-switch]`)
	b.until(`document.querySelector(".figure-picture").innerHTML !== ` + quote(light))
	b.shoot("chart-counts")
	b.click(`[data-figure-view="table"]`)
	said := b.text(sel("figure-count"))
	b.click(sel("figure-count"))
	b.until(`location.pathname === "/w/library/graph" && location.search.includes("label=")`)
	b.until(`document.querySelector(".pager")?.innerText.replace(/\s+/g, " ").includes(` + quote("of "+said) + `)`)
	b.quiet()
}
