package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit/race"
)

const millText = "Weir Mill made 300 reams in 1812 and 450 reams in 1813.\n"

// drawing is a model that calls for a chart in its first turn. It writes the
// second turn and the chart when their gates are closed, or at once if they are
// nil.
func drawing(t *testing.T, value int, text, chart <-chan struct{}) *llmtest.Server {
	t.Helper()
	model := llmtest.New(t)
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", map[string]any{"nodes": []map[string]any{{"id": "Weir Mill", "label": "Mill"}}, "relationships": []any{}}))
	model.On(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Counts reams."}))
	model.On(llmtest.Tool("report_support"), llmtest.Call("report_support", map[string]any{"supported": []int{1, 2}}))
	spec := llmtest.Call("specify_chart", map[string]any{"type": "bar", "title": "Reams by year", "unit": "reams", "x": "year", "y": "", "points": []map[string]any{
		{"series": "", "category": "1812", "x": 0, "value": 300, "passage": 1, "count": 0},
		{"series": "", "category": "1813", "x": 0, "value": value, "passage": 1, "count": 0},
	}})
	second := llmtest.Say("Output grew. [1]")
	if text != nil {
		second = second.After(text)
	}
	if chart != nil {
		spec = spec.After(chart)
	}
	model.On(llmtest.Tool("specify_chart"), spec)
	model.On(llmtest.LastMessage("could not be made"), llmtest.Say("I am sorry: the chart could not be made. It made 300 reams. [1]"))
	model.On(llmtest.LastMessage("The chart is being made"), second)
	first := llmtest.Call("chart", map[string]string{"task": "reams by year"})
	first.Text = "It made paper. [1]"
	model.On(llmtest.Tool(answer.ChartTool), first)
	return model
}

func millFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mill.txt")
	noError(t, os.WriteFile(path, []byte(millText), 0o600))
	return path
}

func TestAskPrintsAChartAsATableWithItsSources(t *testing.T) {
	t.Parallel()
	sh := connected(t, drawing(t, 450, nil, nil))
	sh.must(t, "ingest", millFile(t))
	out := sh.must(t, "ask", "How much did Weir Mill make?")
	for _, want := range []string{"It made paper. [1]\n\nOutput grew. [1]\n", "\nReams by year\n", "  1812  300 reams  [1]\n", "  1813  450 reams  [1]\n", "  [1] mill.txt: “" + strings.TrimSpace(millText)} {
		if !strings.Contains(out, want) {
			t.Errorf("does not print %q:\n%s", want, out)
		}
	}
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "How much did Weir Mill make?"))
	if f := got.Figures; len(f) != 1 || f[0].Chart == nil || f[0].Paragraph != 1 {
		t.Errorf("as JSON: %+v", f)
	}
}

func TestAskSaysWhyThereIsNoChart(t *testing.T) {
	t.Parallel()
	sh := connected(t, drawing(t, 999, nil, nil))
	sh.must(t, "ingest", millFile(t))
	out := sh.must(t, "ask", "How much did Weir Mill make?")
	for _, want := range []string{"Output grew. [1]\n\nI am sorry: the chart could not be made. It made 300 reams. [1]\n", `No chart of "reams by year": No chart could be drawn`, "999 stands nowhere in passage 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("does not print %q:\n%s", want, out)
		}
	}
}

func TestChartsWithoutAModel(t *testing.T) {
	t.Parallel()
	sh := read(t)
	for question, wants := range map[string][]string{
		"Draw a chart of the entities by label": {"\nEntities by label\n", "Person ", "counted in the graph", chart.CountsNote("the")},
		"Zeichne ein Diagramm der Beziehungen":  {"\nBeziehungen nach Art\n", "FOUNDED "},
		"plot mentions by document":             {"\nMentions of all entities by document\n", "bridge.md ", "foundry.txt "},
		"chart mentions by year":                {"\nMentions of all entities by year", time.Now().UTC().Format("2006") + " "},
		"Chart who founded the Carrow Foundry":  {"Maud Ferring founded", "Without a model, a chart can show"},
	} {
		out := sh.must(t, "ask", question)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: does not print %q:\n%s", question, want, out)
			}
		}
	}
	if again := sh.must(t, "ask", "plot mentions by document"); again != sh.must(t, "ask", "plot mentions by document") {
		t.Errorf("the same question is drawn in another way:\n%s", again)
	}
}

// TestAKillBetweenPlaceholderAndChart kills a worker after the text is complete
// but before the chart is. Another worker makes the chart and rewrites nothing.
func TestAKillBetweenPlaceholderAndChart(t *testing.T) {
	race.Want(t)
	t.Parallel()
	killed := make(chan struct{})
	model := drawing(t, 450, nil, killed)
	sh := connected(t, model)
	sh.must(t, "ingest", millFile(t))
	a := sh.app(t)
	m, err := a.questions.Start(t.Context(), questions.Question{Workspace: domain.DefaultWorkspace, Text: "How much did Weir Mill make?"})
	noError(t, err)
	child := sh.process(t, "work")
	noError(t, child.Start())
	a.writes(t, m.Run)
	noError(t, child.Process.Signal(syscall.SIGKILL))
	_ = child.Wait() // it was killed

	worker := a.worker(map[string]int{questions.Kind: 1})
	noError(t, worker.Start(t.Context()))
	defer worker.Stop(context.WithoutCancel(t.Context()))
	a.shows(t, m.Run, "It made paper. [1]\n\nOutput grew. [1]") // what was written is there again
	close(killed)
	a.finishes(t, m.Run)
	if m, err = a.ledger.Message(t.Context(), domain.DefaultWorkspace, m.Message); err != nil {
		t.Fatal(err)
	}
	if m.Status != ledger.MessageDone || m.Text != "It made paper. [1]\n\nOutput grew. [1]" || len(m.Figures) != 1 || m.Figures[0].Status != domain.FigureDone {
		t.Errorf("%s: %q, figures %+v, %s", m.Status, m.Text, m.Figures, m.Problem)
	}
	if turns := model.Calls(llmtest.All(llmtest.Tool(answer.ChartTool))); turns != 2 {
		t.Errorf("the text took %d turns, want the 2 of the worker that was killed", turns)
	}
}

// writes waits until the second turn of a run is stored and its chart has
// started.
func (a *app) writes(t *testing.T, run domain.RunID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	turns, begun := 0, false
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, run, 0) {
		noError(t, err)
		for _, e := range item.Events {
			if e.Node == answer.NodeModel && e.Kind == string(stategraph.NodeEnd) {
				turns++
			}
			begun = begun || e.Node == chart.NodeSpecify && e.Kind == string(stategraph.NodeStart)
		}
		if turns == 2 && begun {
			return
		}
	}
	t.Fatalf("the run has told of %d turns", turns)
}

// shows waits until a new reader sees the text.
func (a *app) shows(t *testing.T, run domain.RunID, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	shown := ""
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, run, 0) {
		noError(t, err)
		if item.Reset {
			shown = ""
		}
		if shown += item.Text; strings.Contains(shown, text) {
			return
		}
	}
	t.Fatalf("a reader is shown %q", shown)
}
