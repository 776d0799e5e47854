package extract_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
)

func TestUnreadableAnswersAreAskedForOnceMore(t *testing.T) {
	t.Parallel()
	good := llmtest.Call("knowledge_graph", curieGraph)
	for name, tt := range map[string]struct {
		first llmtest.Reply
		told  string // what the second question says of the first answer
	}{
		"words":           {llmtest.Say("I'd rather not."), "it holds no JSON"},
		"an unknown tool": {llmtest.Call("graph_of_knowledge", curieGraph), "there is no tool graph_of_knowledge"},
		"no graph":        {llmtest.Call("knowledge_graph", object{"status": "fine"}), "it holds no JSON of the form"},
		"cut at once":     {llmtest.Call("knowledge_graph", `{"nodes":[{"id":"Mar`).Ending("length"), "cut off"},
		"nothing":         {llmtest.Say(""), "it is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, tt.first, good)
			g, _ := mustExtract(t, modelOf(t, s, llm.ModeTool, nil), curie)
			if diff := cmp.Diff(threeRelations, stated(g)); diff != "" {
				t.Errorf("relations (-want +got):\n%s", diff)
			}
			sent := s.Requests(llmtest.Any)
			if len(sent) != 2 || !strings.Contains(sent[1].Last(), tt.told) {
				t.Errorf("%d requests, the last %q", len(sent), sent[len(sent)-1].Last())
			}
		})
	}
}

func TestTwoUnreadableAnswersAreAnError(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("I'd rather not."))
	_, err := modelOf(t, s, llm.ModeSchema, nil).Extract(t.Context(), requestOf(curie))
	var fault *llm.Error
	if !errors.As(err, &fault) || fault.Fault != llm.BadAnswer || domain.Temporary(err) || s.Calls(llmtest.Any) != 2 {
		t.Errorf("%d calls, %v", s.Calls(llmtest.Any), err)
	}
}

func TestFaultsOfTheServerArePassedOn(t *testing.T) {
	t.Parallel()
	for _, mode := range []llm.Mode{llm.ModeAuto, llm.ModeTool} {
		s := llmtest.New(t)
		s.On(llmtest.Any, llmtest.TooMany("5"))
		_, err := modelOf(t, s, mode, nil).Extract(t.Context(), requestOf(curie))
		if !errors.As(err, new(*llm.Error)) || !domain.Temporary(err) {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
}

func TestWholeItemsOfATruncatedAnswerAreKept(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	whole := llmtest.JSON(curieFacts).Text
	s.On(llmtest.Any, llmtest.Say(whole[:len(whole)-30]).Ending("length"))
	g, warnings := mustExtract(t, modelOf(t, s, llm.ModePrompt, nil), curie)
	if diff := cmp.Diff(threeRelations[:2], stated(g)); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "cut off") || s.Calls(llmtest.Any) != 1 {
		t.Errorf("warnings %q after %d calls", warnings, s.Calls(llmtest.Any))
	}
}

func TestAnEmptyGraphIsAnAnswer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("[]"))
	g, warnings := mustExtract(t, modelOf(t, s, llm.ModePrompt, nil), "Nothing happens here.")
	if len(g.Nodes)+len(g.Relationships)+len(warnings) != 0 || g.Nodes == nil || s.Calls(llmtest.Any) != 1 {
		t.Errorf("%+v, %q", g, warnings)
	}
}

func TestWhatTheTextDoesNotNameIsLeftOut(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("knowledge_graph", object{
		"nodes": []object{node("Marie Curie", "person"), node("Albert Einstein", "person")},
		"relationships": []object{
			relation("Albert Einstein", "person", "KNEW", "Marie Curie", "person"),
			relation("Marie Curie", "person", "IS", "Marie Curie", "person"),
		},
	}))
	g, warnings := mustExtract(t, modelOf(t, s, llm.ModeTool, nil), curie)
	if len(g.Nodes) != 1 || len(g.Relationships) != 0 {
		t.Errorf("%+v", g)
	}
	want := []string{
		"entity Albert Einstein (unnamed) The text does not name it.",
		"relation Albert Einstein KNEW Marie Curie (unnamed) The text does not name both ends.",
		"relation Marie Curie IS Marie Curie (loop) Both ends are the same.",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// spy passes each request to see before it is sent.
type spy struct {
	llm.Chat
	see func(llm.Request)
}

func (s spy) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	s.see(r)
	return s.Chat.Complete(ctx, r)
}

func TestCallsBelongToTheDocument(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("[]"))
	var seen []llm.Request
	m := modelOf(t, s, llm.ModePrompt, func(p *extract.Params) {
		p.Chat = spy{p.Chat, func(r llm.Request) { seen = append(seen, r) }}
	})
	mustExtract(t, m, curie)
	want := domain.CallOwner{Workspace: "default", Document: "d1"}
	if len(seen) != 1 || seen[0].Owner != want || seen[0].Prompt != "extract-prompt/3" {
		t.Errorf("sent %+v", seen)
	}
}

// TestPromptsCanBeReplaced: the text comes with the guide, and readers tell one
// from the other.
func TestPromptsCanBeReplaced(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("[]"))
	m := modelOf(t, s, llm.ModePrompt, nil)
	own := strings.Replace(extract.Prompt().Builtin, "You read one passage of a document and write down the relations that it states", "Find ships{{range .Examples}} like {{.Text}}{{end}}", 1)
	g := extract.Guide{Prompt: own, Examples: []extract.Example{{Text: "the Argo"}}}
	mustRead(t, m, g, curie)
	if sent := s.Requests(llmtest.Any)[0].Text(); !strings.HasPrefix(sent, "Find ships like the Argo, as a JSON list") {
		t.Errorf("sent %q", sent)
	}
	builtin, edited := m.Reader(extract.Guide{}), m.Reader(extract.Guide{Prompt: own})
	if builtin != "scripted extract/3" || !strings.HasPrefix(edited, "scripted extract/3.") || edited == m.Reader(extract.Guide{Prompt: own + " "}) {
		t.Errorf("readers %q and %q", builtin, edited)
	}
}

func TestBrokenPromptsAreRefused(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	r := requestOf(curie)
	r.Guide.Prompt = strings.Replace(extract.Prompt().Builtin, ".Title", ".Chapter", 1)
	if _, err := modelOf(t, s, llm.ModePrompt, nil).Extract(t.Context(), r); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), ".Chapter") {
		t.Errorf("%v", err)
	}
	if n := s.Calls(llmtest.Any); n != 0 {
		t.Errorf("%d calls", n)
	}
}

// TestAModelThatStopsAcceptingToolsIsAskedOn: no chunk is lost, and the model is
// probed again once.
func TestAModelThatStopsAcceptingToolsIsAskedOn(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	refusal := llmtest.Fail(400, "tools are not enabled for this model")
	s.On(llmtest.Tool("report_city"), llmtest.Call("report_city", object{"city": "Paris"}), refusal)
	s.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", curieGraph), llmtest.Call("knowledge_graph", curieGraph), refusal)
	s.On(llmtest.Schema("report_city"), llmtest.JSON(object{"city": "Paris"}))
	s.On(llmtest.Schema("knowledge_graph"), llmtest.JSON(curieGraph))
	m := modelOf(t, s, llm.ModeAuto, nil)
	want, _ := mustExtract(t, m, curie)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			found, err := extract.One(t.Context(), m, requestOf(curie))
			if diff := cmp.Diff(want, found.Graph); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	all.Wait()
	if probes := s.Calls(llmtest.Tool("report_city")); probes != 2 {
		t.Errorf("probed for tools %d times, want 2", probes)
	}
	if n := s.Calls(llmtest.Schema("knowledge_graph")); n != 7 {
		t.Errorf("%d chunks were asked for in a schema, want 7", n)
	}
}
