package chart_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
)

// texts are passages by id.
type texts map[domain.ChunkID]string

func (t texts) Passages(_ context.Context, _ domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	var out []domain.Passage
	for _, id := range ids {
		if text, ok := t[id]; ok {
			out = append(out, domain.Passage{Name: string(id) + ".txt", Title: "File " + string(id), Chunk: domain.Chunk{
				ID: id, Document: domain.DocumentID("d-" + id), Text: text, Span: domain.Span{End: domain.Runes(text)},
			}})
		}
	}
	return out, nil
}

var mill = texts{"c1": "Weir Mill made 300 reams in 1812 and 450 in 1813.", "c2": "Nothing is known of the swans."}

// specifier returns a specifier over a scripted server that supports a mode.
func specifier(t *testing.T, s *llmtest.Server, mode llm.Mode) chart.Specifier {
	t.Helper()
	chat, err := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: s.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	return chart.ModelSpecifier(chat, llm.NewFitness(chat, mode, nil), prompts.New(nil, prompts.NewFences([]byte("test")), chart.Prompt()))
}

// outcome is the final state of a run with its events.
type outcome struct {
	chart.State
	path  []string
	notes []string

	settled []domain.Figure
}

func draw(t *testing.T, p chart.Params, evidence ...domain.ChunkID) (outcome, error) {
	t.Helper()
	g, err := chart.Graph(p)
	if err != nil {
		t.Fatal(err)
	}
	var o outcome
	o.State, err = g.Run(t.Context(), chart.State{Workspace: "w", Question: "How much did Weir Mill make?", Figure: domain.Figure{ID: "f", Task: "reams by year", Paragraph: 1, Status: domain.FigurePending}, Evidence: evidence},
		stategraphtest.CheckMutation(), stategraph.Observe(func(e stategraph.Event) {
			if e.Kind == stategraph.NodeStart {
				o.path = append(o.path, e.Node)
			}
			if f, ok := e.Payload.(domain.Figure); ok {
				o.settled = append(o.settled, f)
			}
			if n, ok := e.Payload.(domain.Note); ok {
				o.notes = append(o.notes, n.Text)
			}
		}))
	return o, err
}

func good() map[string]any {
	return map[string]any{"type": "bar", "title": "Reams by year", "unit": "reams", "x": "year", "y": "reams", "points": []map[string]any{
		{"series": "", "category": "1812", "x": 0, "value": 300, "passage": 1, "count": 0},
		{"series": "", "category": "1813", "x": 0, "value": 450, "passage": 1, "count": 0},
	}}
}

func invented() map[string]any {
	g := good()
	g["points"] = []map[string]any{{"series": "", "category": "1812", "x": 0, "value": 412, "passage": 1, "count": 0}}
	return g
}

func TestSpecifyInEveryMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode  llm.Mode
		match llmtest.Match
		reply llmtest.Reply
	}{
		{llm.ModeTool, llmtest.Tool("specify_chart"), llmtest.Call("specify_chart", good())},
		{llm.ModeSchema, llmtest.Schema("specify_chart"), llmtest.JSON(good())},
		{llm.ModePrompt, llmtest.All(llmtest.Plain, llmtest.Prompt("Answer with one JSON object")), llmtest.JSON(good())},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(tt.match, tt.reply)
			o, err := draw(t, chart.Params{Passages: mill, Specifier: specifier(t, s, tt.mode)}, "c1", "c2")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"collect", "specify", "validate", "settle"}, o.path); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
			if o.Chart == nil || o.Problem != "" || len(o.Chart.Citations) != 1 || o.Chart.Citations[0].Text != mill["c1"] || o.Chart.Series[0].Points[1].Value != 450 {
				t.Errorf("chart %+v, problem %q", o.Chart, o.Problem)
			}
			want := domain.Figure{ID: "f", Task: "reams by year", Paragraph: 1, Status: domain.FigureDone, Chart: o.Chart}
			if diff := cmp.Diff([]domain.Figure{want}, o.settled); diff != "" || !cmp.Equal(want, o.Figure) {
				t.Errorf("settled (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"2 numbers in 2 passages", "2 points, each with its source"}, o.notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			text := s.Requests(llmtest.Any)[0].Text()
			for _, part := range []string{">File c1</", mill["c1"], ">reams by year</"} {
				if !strings.Contains(text, part) {
					t.Errorf("the prompt lacks %q:\n%s", part, text)
				}
			}
		})
	}
}

func TestMistakesAreRetriedOnce(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("specify_chart", invented()), llmtest.Call("specify_chart", good()))
	o, err := draw(t, chart.Params{Passages: mill, Specifier: specifier(t, s, llm.ModeTool)}, "c1")
	if err != nil || o.Chart == nil || o.Attempts != 2 {
		t.Fatalf("%v, chart %+v after %d attempts", err, o.Chart, o.Attempts)
	}
	again := s.Requests(llmtest.Any)[1].Last()
	if !strings.Contains(again, "412 stands nowhere in passage 1. There are 300; 450.") || !strings.Contains(again, `"value":"412"`) {
		t.Errorf("the second request says\n%s", again)
	}
}

func TestRunWithoutChart(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	for name, tt := range map[string]struct {
		evidence []domain.ChunkID
		replies  []llmtest.Reply
		limit    time.Duration
		says     string
		calls    int
	}{
		"invalid twice":    {[]domain.ChunkID{"c1"}, []llmtest.Reply{llmtest.Call("specify_chart", invented())}, 0, "all stand in the sources. Point 1 (1812): 412 stands nowhere", 2},
		"unreadable twice": {[]domain.ChunkID{"c1"}, []llmtest.Reply{llmtest.Call("specify_chart", "{broken")}, 0, "The answer", 2},
		"no numbers":       {[]domain.ChunkID{"c2"}, []llmtest.Reply{llmtest.Call("specify_chart", good())}, 0, "contain no numbers", 0},
		"no passages":      {nil, []llmtest.Reply{llmtest.Call("specify_chart", good())}, 0, "contain no numbers", 0},
		"too slow":         {[]domain.ChunkID{"c1"}, []llmtest.Reply{llmtest.Call("specify_chart", good()).After(never)}, time.Millisecond, "not ready within 1ms", -1},
		"model refuses":    {[]domain.ChunkID{"c1"}, []llmtest.Reply{llmtest.Unauthorized()}, 0, "The chart could not be made: ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, tt.replies...)
			o, err := draw(t, chart.Params{Passages: mill, Specifier: specifier(t, s, llm.ModeTool), Timeout: tt.limit}, tt.evidence...)
			if err != nil || o.Chart != nil || !strings.Contains(o.Problem, tt.says) {
				t.Errorf("%v, chart %v, problem %q", err, o.Chart, o.Problem)
			}
			if len(o.settled) != 1 || o.Figure.Status != domain.FigureFailed || o.Figure.Problem != o.Problem || o.Figure.Chart != nil {
				t.Errorf("settled as %+v", o.settled)
			}
			if calls := s.Calls(llmtest.Any); calls != tt.calls && tt.calls >= 0 {
				t.Errorf("%d calls, want %d", calls, tt.calls)
			}
		})
	}
}

// stopping is a specifier that stops its run.
type stopping struct{ stop context.CancelFunc }

func (s stopping) Specify(ctx context.Context, _ chart.Request, _ chart.Emit) (chart.Specification, error) {
	s.stop()
	<-ctx.Done()
	return chart.Specification{}, ctx.Err()
}

func TestStopIsAnError(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	g, err := chart.Graph(chart.Params{Passages: mill, Specifier: stopping{stop}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = g.Run(ctx, chart.State{Evidence: []domain.ChunkID{"c1"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestGraphRequiresParams(t *testing.T) {
	t.Parallel()
	if _, err := chart.Graph(chart.Params{}); err == nil {
		t.Error("a graph without parameters was built")
	}
}
