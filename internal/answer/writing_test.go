package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/checkpoint/memory"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
)

const (
	millText  = "Weir Mill made 300 reams in 1812 and 450 reams in 1813."
	swansText = "The swans are hungry."
)

// The requests of a run, told apart.
var (
	writingTurn = llmtest.Prompt("Answer the question from the numbered passages")
	specifying  = llmtest.Tool("specify_chart")
)

func turnWith(text string) llmtest.Match { return llmtest.All(writingTurn, llmtest.LastMessage(text)) }

// The turns of a writer: the first, one that sees a placeholder, and the one that
// makes up for a failure.
var (
	firstTurn   = turnWith("Question:")
	goesOn      = turnWith("The chart is being made")
	makesUp     = turnWith("could not be made")
	seesRefusal = turnWith("Go on in words.")
)

func specOf(points ...int) map[string]any {
	var list []map[string]any
	for i, p := range points {
		list = append(list, map[string]any{"series": "", "category": fmt.Sprint("n", i), "x": 0, "value": p, "passage": 1, "count": 0})
	}
	return map[string]any{"type": "bar", "title": "Reams", "unit": "", "x": "", "y": "", "points": list}
}

func asksFor(task string) llmtest.Reply {
	return llmtest.Call("chart", map[string]string{"task": task})
}

// drawing is a run of the whole graph over a scripted model.
type drawing struct {
	*script
	server *llmtest.Server
	graph  stategraph.Runnable[State]

	mu     sync.Mutex
	events []string // of interest, in the order in which they came
	told   map[string][]domain.Figure
	seen   func(stategraph.Event)
}

// newDrawing prepares a run over two relevant passages.
func newDrawing(t *testing.T, change ...func(*Params)) *drawing {
	t.Helper()
	return newDrawingIn(t, llm.ModeTool, change...)
}

// newDrawingIn prepares a run with a model that is fit for a mode.
func newDrawingIn(t *testing.T, mode llm.Mode, change ...func(*Params)) *drawing {
	t.Helper()
	s := &script{texts: []string{millText, swansText}, searches: [][]int{{0, 1}}, relevant: always}
	d := &drawing{script: s, server: llmtest.New(t), told: map[string][]domain.Figure{}}
	p := Params{Library: s, Retriever: s, Passages: s, Roles: modelOver(t, d.server, mode, s), Now: func() time.Time { return time.Unix(0, 0) }}
	for _, c := range change {
		c(&p)
	}
	var err error
	if d.graph, err = Graph(p); err != nil {
		t.Fatal(err)
	}
	return d
}

// modelOver writes and draws by a scripted model; the other roles are scripted.
func modelOver(t *testing.T, server *llmtest.Server, mode llm.Mode, s *script) Roles {
	t.Helper()
	chat, err := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: server.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	m := Model{Chat: chat, Fitness: llm.NewFitness(chat, mode, nil)}
	roles, err := ModelRoles(ModelParams{Answer: m, Grade: m, Rewrite: m, Prompts: prompts.New(nil, prompts.NewFences([]byte("test")), append(Prompts(), chart.Prompt())...)})
	if err != nil {
		t.Fatal(err)
	}
	roles.Condenser, roles.Grader, roles.Rewriter, roles.Supporter = s, s, s, s
	return roles
}

// note records what a reader sees and what the nodes of the subgraph do.
func (d *drawing) note(e stategraph.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	what := ""
	switch p := e.Payload.(type) {
	case domain.Token:
		what = "text " + strings.TrimSpace(p.Text)
	case domain.Figure:
		what = "figure " + string(p.Status)
		d.told[p.ID] = append(d.told[p.ID], p)
	case domain.Written:
		what = fmt.Sprint("written ", p.Sentences)
	}
	if e.Kind == stategraph.NodeStart && len(e.Path) == 2 {
		what = e.Node
	}
	if what != "" && what != "text " {
		d.events = append(d.events, what)
	}
	if d.seen != nil {
		d.seen(e)
	}
}

func (d *drawing) run(t *testing.T, opts ...stategraph.RunOption) Result {
	t.Helper()
	r, err := d.try(t.Context(), "How much did Weir Mill make?", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (d *drawing) try(ctx context.Context, question string, opts ...stategraph.RunOption) (Result, error) {
	opts = append(opts, stategraph.RecursionLimit(RecursionLimit(0)), stategraph.Observe(d.note))
	s, err := d.graph.Run(ctx, Start(Begin{Workspace: "w", Run: "r", Question: question}), opts...)
	return s.Result(), err
}

func checked() stategraph.RunOption { return stategraphtest.CheckMutation() }

// at returns the index of an event, or -1.
func (d *drawing) at(event string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Index(d.events, event)
}

func wantOrder(t *testing.T, d *drawing, events ...string) {
	t.Helper()
	last := -1
	for _, e := range events {
		at := d.at(e)
		if at <= last {
			t.Fatalf("%q does not come behind the others of %q:\n%s", e, events, strings.Join(d.events, "\n"))
		}
		last = at
	}
}

// TestTextArrivesWhileTheChartIsBeingMade blocks the text until the chart has begun,
// and the chart until the text is complete: neither would end if they did not run
// side by side.
func TestTextArrivesWhileTheChartIsBeingMade(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	begun, complete := make(chan struct{}), make(chan struct{})
	d.seen = func(e stategraph.Event) {
		if e.Kind == stategraph.NodeStart && e.Node == chart.NodeSpecify {
			close(begun)
		}
		if _, ok := e.Payload.(domain.Written); ok {
			close(complete)
		}
	}
	first := asksFor("reams by year")
	first.Text = "It made paper. [1]"
	d.server.On(goesOn, llmtest.Say("Output grew. [1]").After(begun))
	d.server.On(firstTurn, first)
	d.server.On(specifying, llmtest.Call("specify_chart", specOf(300, 450)).After(complete))
	r := d.run(t, checked())
	wantOrder(t, d, "model", "text paper.", "chart", "figure pending", "text grew.", "written 2", "figure success")
	if d.at("update_chart") > d.at("text Output") {
		t.Errorf("the chart was begun behind the text:\n%s", strings.Join(d.events, "\n"))
	}
	if r.Answer != "It made paper. [1]\n\nOutput grew. [1]" || len(r.Citations) != 1 || !r.Answered {
		t.Errorf("answer %q with %d citations", r.Answer, len(r.Citations))
	}
	want := []domain.Sentence{{Text: "It made paper.", Citations: []int{1}, Supported: true}, {Text: "Output grew.", Citations: []int{1}, Supported: true, Paragraph: 1}}
	if diff := cmp.Diff(want, r.Sentences); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	if len(r.Figures) != 1 {
		t.Fatalf("%d figures", len(r.Figures))
	}
	f := r.Figures[0]
	if f.ID != "call_a" || f.Task != "reams by year" || f.Paragraph != 1 || f.Status != domain.FigureDone || len(f.Chart.Citations) != 1 || f.Chart.Citations[0].Text != millText {
		t.Errorf("figure %+v", f)
	}
	if diff := cmp.Diff(map[string][]domain.Figure{"call_a": {{ID: "call_a", Task: "reams by year", Paragraph: 1, Status: domain.FigurePending}, f}}, d.told); diff != "" {
		t.Errorf("told of (-want +got):\n%s", diff)
	}
}

// TestThePlaceholderIsReplacedByItsID looks at the messages after each step.
func TestThePlaceholderIsReplacedByItsID(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	d.server.On(goesOn, llmtest.Say("Done. [1]"))
	d.server.On(firstTurn, asksFor("reams"))
	d.server.On(specifying, llmtest.Call("specify_chart", specOf(300)))
	var all messages
	d.seen = func(e stategraph.Event) {
		var u struct{ Messages []Message }
		if e.Kind == stategraph.NodeEnd && len(e.Path) == 2 && json.Unmarshal(e.Update, &u) == nil {
			for _, m := range u.Messages {
				if i := slices.IndexFunc(all, func(o Message) bool { return o.key() == m.key() }); i >= 0 {
					all[i] = m
				} else {
					all = append(all, m)
				}
			}
		}
	}
	d.run(t, checked())
	var order []string
	for _, m := range all {
		order = append(order, m.From+" "+string(m.Status))
	}
	slices.Sort(order[2:]) // the branches may end in either order
	if diff := cmp.Diff([]string{"assistant ", "tool success", "assistant "}, []string{order[0], order[1], order[2]}); diff != "" || len(all) != 3 {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if m := all[1]; m.ToolCallID != "call_a" || m.Name != "chart" || m.Artifact.Figure.Chart == nil {
		t.Errorf("the tool's message is %+v", m)
	}
}

func TestTwoChartsInOneAnswer(t *testing.T) {
	t.Parallel()
	for _, firstOut := range []string{"call_a", "call_b"} { // both merge orders
		t.Run(firstOut, func(t *testing.T) {
			t.Parallel()
			d := newDrawing(t)
			out := make(chan struct{})
			d.seen = func(e stategraph.Event) {
				if f, ok := e.Payload.(domain.Figure); ok && f.Status == domain.FigureDone && f.ID == firstOut {
					close(out)
				}
			}
			d.server.On(goesOn, llmtest.Say("So it was. [1]"))
			d.server.On(firstTurn, asksFor("early output").And("chart", map[string]string{"task": "late output"}))
			early, late := llmtest.Call("specify_chart", specOf(300)), llmtest.Call("specify_chart", specOf(450))
			if firstOut == "call_a" {
				late = late.After(out)
			} else {
				early = early.After(out)
			}
			d.server.On(llmtest.All(specifying, llmtest.LastMessage(">early output<")), early)
			d.server.On(llmtest.All(specifying, llmtest.LastMessage(">late output<")), late)
			r := d.run(t, checked())
			if len(r.Figures) != 2 || r.Figures[0].ID != "call_a" || r.Figures[1].ID != "call_b" {
				t.Fatalf("figures %+v", r.Figures)
			}
			for i, want := range []float64{300, 450} {
				c := r.Figures[i].Chart
				if c == nil || c.Series[0].Points[0].Value != want || c.Citations[0].N != 1 {
					t.Errorf("chart %d is %+v", i, c)
				}
			}
			if r.Answer != "So it was. [1]" || d.server.Calls(writingTurn) != 2 {
				t.Errorf("answer %q in %d turns", r.Answer, d.server.Calls(writingTurn))
			}
		})
	}
}

func TestAChartInEachOfTwoTurns(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	second := asksFor("late output")
	second.Text = "More follows."
	d.server.On(llmtest.All(goesOn, llmtest.Prompt("More follows.")), llmtest.Say("The end."))
	d.server.On(goesOn, second)
	d.server.On(firstTurn, asksFor("early output"))
	d.server.On(specifying, llmtest.Call("specify_chart", specOf(300)))
	r := d.run(t, checked())
	if r.Answer != "More follows.\n\nThe end." || len(r.Figures) != 2 || r.Figures[0].ID == r.Figures[1].ID {
		t.Fatalf("answer %q, figures %+v", r.Answer, r.Figures)
	}
	if r.Figures[0].Paragraph != 0 || r.Figures[1].Paragraph != 1 || r.Figures[1].Status != domain.FigureDone {
		t.Errorf("figures %+v", r.Figures)
	}
}

// TestAFailedChartIsMadeUpForInWords tries each way to fail.
func TestAFailedChartIsMadeUpForInWords(t *testing.T) {
	t.Parallel()
	const sorry = "I am sorry: the chart could not be made."
	for name, tt := range map[string]struct {
		reply  llmtest.Reply
		text   string
		change func(*Params)
		says   string
	}{
		"invalid twice": {llmtest.Call("specify_chart", specOf(999)), millText, func(*Params) {}, "999 stands nowhere"},
		"no numbers":    {llmtest.Call("specify_chart", specOf(300)), "Nothing but words.", func(*Params) {}, "contain no numbers"},
		"timeout": {llmtest.Call("specify_chart", specOf(300)).After(make(chan struct{})), millText,
			func(p *Params) { p.ChartTimeout = time.Millisecond }, "not ready within 1ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDrawing(t, tt.change)
			d.texts[0] = tt.text
			d.server.On(makesUp, llmtest.Say(sorry+" It made 300 reams. [1]"))
			d.server.On(goesOn, llmtest.Say("Output grew. [1]"))
			first := asksFor("reams by year")
			first.Text = "It made paper. [1]"
			d.server.On(firstTurn, first)
			d.server.On(specifying, tt.reply)
			r := d.run(t)
			if r.Answer != "It made paper. [1]\n\nOutput grew. [1]\n\n"+sorry+" It made 300 reams. [1]" {
				t.Errorf("answer %q", r.Answer)
			}
			f := r.Figures[0]
			if f.Status != domain.FigureFailed || f.Chart != nil || f.Sentences != 2 || !strings.Contains(f.Problem, tt.says) {
				t.Errorf("figure %+v", f)
			}
			if s := r.Sentences[2]; s.Text != sorry || !s.Remark || r.Sentences[3].Remark {
				t.Errorf("sentences %+v", r.Sentences)
			}
			if d.server.Calls(writingTurn) != 3 {
				t.Errorf("%d turns", d.server.Calls(writingTurn))
			}
			again := d.server.Requests(makesUp)[0]
			if len(again.Tools) > 0 || !strings.Contains(again.Last(), sorry) || !strings.Contains(again.Last(), f.Problem) {
				t.Errorf("the re-prompt offers %v and says\n%s", again.ToolNames(), again.Last())
			}
			if told := d.told["call_a"]; len(told) != 2 || told[1].Status != domain.FigureFailed {
				t.Errorf("told of %+v", told)
			}
			wantOrder(t, d, "figure pending", "written 2", "written 4")
		})
	}
}

// TestTwoFailuresAreMadeUpForOnce also tries one failure beside a chart that succeeds,
// whichever is settled last.
func TestTwoFailuresAreMadeUpForOnce(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][2]int{"both": {998, 999}, "the first": {999, 450}, "the second": {300, 999}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDrawing(t)
			d.server.On(makesUp, llmtest.Say("In words. [1]"))
			d.server.On(goesOn, llmtest.Say("So. [1]"))
			d.server.On(firstTurn, asksFor("early output").And("chart", map[string]string{"task": "late output"}))
			d.server.On(llmtest.All(specifying, llmtest.Prompt(">early output<")), llmtest.Call("specify_chart", specOf(values[0])))
			d.server.On(llmtest.All(specifying, llmtest.Prompt(">late output<")), llmtest.Call("specify_chart", specOf(values[1])))
			r := d.run(t, checked())
			if d.server.Calls(makesUp) != 1 || r.Answer != "So. [1]\n\nIn words. [1]" {
				t.Errorf("%d re-prompts, answer %q", d.server.Calls(makesUp), r.Answer)
			}
			failures := 0
			for i, f := range r.Figures {
				if f.Status == domain.FigureFailed {
					failures++
				}
				if (f.Status == domain.FigureFailed) != (values[i] > 450) {
					t.Errorf("figure %d is %+v", i, f)
				}
			}
			if again := d.server.Requests(makesUp)[0].Last(); strings.Count(again, "could not be made. <problem ") != failures {
				t.Errorf("the re-prompt says\n%s", again)
			}
		})
	}
}

// TestAFailureWaitsForTheLastTurn fails the first chart while the writer calls for
// another.
func TestAFailureWaitsForTheLastTurn(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	second := asksFor("late output")
	second.Text = "More follows."
	d.server.On(makesUp, llmtest.Say("In words."))
	d.server.On(llmtest.All(goesOn, llmtest.Prompt("More follows.")), llmtest.Say("The end."))
	d.server.On(goesOn, second)
	d.server.On(firstTurn, asksFor("early output"))
	d.server.On(llmtest.All(specifying, llmtest.Prompt(">early output<")), llmtest.Call("specify_chart", specOf(999)))
	d.server.On(specifying, llmtest.Call("specify_chart", specOf(300)))
	r := d.run(t, checked())
	if r.Answer != "More follows.\n\nThe end.\n\nIn words." || d.server.Calls(makesUp) != 1 || r.Figures[0].Sentences != 2 {
		t.Errorf("answer %q, %d re-prompts, figures %+v", r.Answer, d.server.Calls(makesUp), r.Figures)
	}
}

// TestCallsThatNothingComesOf checks that bad calls are reported to the writer and
// don't fail the run.
func TestCallsThatNothingComesOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		call llmtest.Reply
		says string
	}{
		"unknown tool":      {llmtest.Call("draw", map[string]string{"task": "x"}), "There is no tool of that name."},
		"not JSON":          {llmtest.Call("chart", "{reams by year"), "not a JSON object"},
		"not an object":     {llmtest.Call("chart", `["task"]`), "not a JSON object"},
		"no task":           {llmtest.Call("chart", "{}"), "has no task"},
		"a task of nothing": {llmtest.Call("chart", map[string]string{"task": " \n"}), "has no task"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDrawing(t)
			d.server.On(seesRefusal, llmtest.Say("In words, then. [1]"))
			d.server.On(firstTurn, tt.call)
			r := d.run(t, checked())
			if r.Answer != "In words, then. [1]" || len(r.Figures) != 0 || len(d.told) != 0 {
				t.Errorf("answer %q, figures %+v", r.Answer, r.Figures)
			}
			if said := d.server.Requests(seesRefusal)[0].Last(); !strings.Contains(said, tt.says) {
				t.Errorf("the writer is told %q", said)
			}
		})
	}
}

func TestAWriterThatNeverStopsCallingIsStopped(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	d.server.On(writingTurn, llmtest.Call("draw", "{}"))
	r := d.run(t, checked())
	if d.server.Calls(writingTurn) != maxChartTurns+1 || r.Answer != SaysNoText {
		t.Errorf("%d turns, answer %q", d.server.Calls(writingTurn), r.Answer)
	}
	if last := d.server.Requests(writingTurn)[maxChartTurns]; len(last.Tools) != 0 {
		t.Errorf("the last turn offers %v", last.ToolNames())
	}
}

func TestMoreChartsThanAnAnswerMayHave(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	calls := llmtest.Reply{}
	for i := range MaxFigures + 2 {
		calls = calls.And("chart", map[string]string{"task": fmt.Sprint("chart ", i)})
	}
	d.server.On(seesRefusal, llmtest.Say("Enough."))
	d.server.On(firstTurn, calls)
	d.server.On(specifying, llmtest.Call("specify_chart", specOf(300)))
	if r := d.run(t, checked()); len(r.Figures) != MaxFigures || r.Answer != "Enough." {
		t.Errorf("%d figures, answer %q", len(r.Figures), r.Answer)
	}
}

// TestNoToolIsOfferedToAModelThatCannotCallOne checks that a question that asks for a
// chart gets one all the same, and any other none.
func TestNoToolIsOfferedToAModelThatCannotCallOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode     llm.Mode
		question string
		figures  int
	}{
		{llm.ModePrompt, "Draw a chart of the reams by year.", 1}, {llm.ModeSchema, "Zeige ein Balkendiagramm der Ries pro Jahr.", 1}, {llm.ModePrompt, "How many reams?", 0},
	} {
		d := newDrawingIn(t, tt.mode)
		d.server.On(llmtest.Schema("specify_chart"), llmtest.JSON(specOf(300)))
		d.server.On(llmtest.Prompt("You specify a chart"), llmtest.JSON(specOf(300)))
		d.server.On(writingTurn, llmtest.Say("It made 300. [1]"))
		r, err := d.try(t.Context(), tt.question)
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != "It made 300. [1]" || len(r.Figures) != tt.figures || d.server.Calls(writingTurn) != 1 {
			t.Errorf("%s: answer %q with %d figures in %d turns", tt.question, r.Answer, len(r.Figures), d.server.Calls(writingTurn))
		}
		if tools := d.server.Requests(writingTurn)[0].Tools; len(tools) > 0 {
			t.Errorf("offered %v", tools)
		}
		if tt.figures > 0 && (r.Figures[0].Status != domain.FigureDone || r.Figures[0].Task != tt.question) {
			t.Errorf("figure %+v", r.Figures[0])
		}
	}
}

func TestTheApologyIsInTheLanguageOfTheQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How many reams did the mill make?":                "I am sorry",
		"Wie viele Ries machte die Mühle pro Jahr?":        "Leider",
		"Combien de rames dans les années par moulin":      "Désolé",
		"¿Cuántas resmas por año hizo el molino?":          "Lo siento",
		"Quante risme della cartiera per anno, il grafico": "Mi dispiace",
		"何連の紙?": "I am sorry",
	} {
		if got := InLanguageOf(question, apology); !strings.HasPrefix(got, want) || !apologises(got) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// TestAnswersWithFiguresStayBounded checks the bounds of the state and of each chart.
func TestAnswersWithFiguresStayBounded(t *testing.T) {
	t.Parallel()
	d := newDrawing(t)
	d.server.On(goesOn, llmtest.Say("So. [1]"))
	long := ""
	for i := range 400 {
		long += fmt.Sprint("long", i, " ")
	}
	d.server.On(firstTurn, asksFor(long))
	d.server.On(specifying, llmtest.Call("specify_chart", specOf(300, 450)))
	s, err := d.graph.Run(t.Context(), Start(Begin{Workspace: "w", Question: "?"}))
	if err != nil {
		t.Fatal(err)
	}
	if n := domain.Runes(s.Figures[0].Task); n > maxTask {
		t.Errorf("the task has %d characters", n)
	}
	if b, err := json.Marshal(s.Figures[0].Chart); err != nil || len(b) > chart.MaxBytes {
		t.Errorf("the chart has %d bytes, %v", len(b), err)
	}
	s.Figures = nil
	if b, err := json.Marshal(s); err != nil || len(b) > 16<<10 {
		t.Errorf("the state beside it has %d bytes, %v", len(b), err)
	}
}

// TestAKillBetweenPlaceholderAndChart kills a run while its chart is being made, before
// and after the text is complete. Text is not written twice.
func TestAKillBetweenPlaceholderAndChart(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"the text is on its way": false, "the text is complete": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := memory.New(time.Now)
			d := newDrawing(t, func(p *Params) { p.Threads, p.Codec = store, checkpoint.NewCodec() })
			first := asksFor("reams by year")
			first.Text = "It made paper. [1]"
			killed := make(chan struct{})
			going := llmtest.Say("Output grew. [1]")
			d.server.On(firstTurn, first)
			if late {
				d.server.On(goesOn, going)
			} else {
				d.server.On(goesOn, going.After(killed))
			}
			d.server.On(specifying, llmtest.Call("specify_chart", specOf(300)).After(killed))
			ctx, kill := context.WithCancel(t.Context())
			d.seen = func(e stategraph.Event) {
				if late && e.Kind == stategraph.NodeEnd && e.Node == NodeModel && e.Step == 3 || !late && e.Kind == stategraph.NodeStart && e.Node == chart.NodeSpecify {
					kill()
				}
			}
			if _, err := d.try(ctx, "How much did Weir Mill make?", stategraph.Thread("r"), stategraph.OrResume()); !errors.Is(err, context.Canceled) {
				t.Fatalf("the kill ended in %v", err)
			}
			d.seen = nil
			close(killed)
			turns := d.server.Calls(firstTurn)
			r, err := d.try(t.Context(), "How much did Weir Mill make?", stategraph.Thread("r"), stategraph.OrResume())
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != "It made paper. [1]\n\nOutput grew. [1]" || len(r.Figures) != 1 || r.Figures[0].Status != domain.FigureDone || r.Figures[0].ID != "call_a" {
				t.Errorf("answer %q, figures %+v", r.Answer, r.Figures)
			}
			if turns != 1 || d.server.Calls(firstTurn) != 1 || late && d.server.Calls(goesOn) != 1 {
				t.Errorf("%d first turns, %d second ones", d.server.Calls(firstTurn), d.server.Calls(goesOn))
			}
		})
	}
}
