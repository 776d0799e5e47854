package answer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/prompts"
)

// rolesOver returns the roles over a scripted server that is fit for a mode.
func rolesOver(t *testing.T, s *llmtest.Server, mode llm.Mode) answer.Roles {
	t.Helper()
	chat, err := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: s.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	m := answer.Model{Chat: chat, Fitness: llm.NewFitness(chat, mode, nil)}
	roles, err := answer.ModelRoles(answer.ModelParams{Answer: m, Grade: m, Rewrite: m, Prompts: prompts.New(nil, prompts.NewFences([]byte("test")), append(answer.Prompts(), chart.Prompt())...)})
	if err != nil {
		t.Fatal(err)
	}
	return roles
}

// heard records what a role emits.
type heard struct {
	usages []domain.Usage
	kinds  []string
}

func (h *heard) emit(kind string, payload any) {
	h.kinds = append(h.kinds, kind)
	if u, ok := payload.(domain.Usage); ok {
		h.usages = append(h.usages, u)
	}
}

var (
	bridges = answertest.Of("Ann Lee built Weir Bridge in 1812. It has one arch.", "The swans are hungry. Nobody pays for their corn.")
	asked   = answer.Asked{Workspace: domain.DefaultWorkspace, Question: "Who built Weir Bridge?"}
)

func gradeRequest() answer.GradeRequest {
	return answer.GradeRequest{Asked: asked, Passage: bridges.All[0], Path: []domain.Hop{{Name: "Weir Bridge"}}, Candidates: bridges.All}
}

func TestModelRolesNeedTheirModels(t *testing.T) {
	t.Parallel()
	if _, err := answer.ModelRoles(answer.ModelParams{}); err == nil {
		t.Error("roles without a model")
	}
}

func TestModelGradesInEveryMode(t *testing.T) {
	t.Parallel()
	said := map[string]any{"binary_score": "yes", "reason": "names the builder"}
	for _, tt := range []struct {
		mode  llm.Mode
		match llmtest.Match
		reply llmtest.Reply
	}{
		{llm.ModeTool, llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", said)},
		{llm.ModeSchema, llmtest.Schema("grade_passage"), llmtest.JSON(said)},
		{llm.ModePrompt, llmtest.Plain, llmtest.Say("yes: names the builder")},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(tt.match, tt.reply.Using(12, 3))
			var h heard
			g, err := rolesOver(t, s, tt.mode).Grader.Grade(context.Background(), gradeRequest(), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			if want := (domain.Grade{Verdict: domain.Relevant, Reason: "names the builder"}); g != want {
				t.Errorf("grade %+v", g)
			}
			if len(h.usages) != 1 || h.usages[0].Input != 12 || h.usages[0].Output != 3 {
				t.Errorf("usage %+v", h.usages)
			}
			text := s.Requests(llmtest.Any)[0].Text()
			for _, part := range []string{asked.Question, bridges.All[0].Text, ">Weir Bridge</", "2.txt: The swans are hungry."} {
				if !strings.Contains(text, part) {
					t.Errorf("the grader was not told %q:\n%s", part, text)
				}
			}
		})
	}
}

func TestModelRanksInOneCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode  llm.Mode
		reply llmtest.Reply
		want  []int
		calls int
	}{
		{llm.ModeTool, llmtest.Call("order_passages", map[string]any{"order": []int{2, 9, 1}}), []int{1, 0}, 1},
		{llm.ModeSchema, llmtest.JSON(map[string]any{"order": []int{2}}), []int{1}, 1},
		{llm.ModePrompt, llmtest.Say("2, 1"), []int{1, 0}, 1},
		{llm.ModePrompt, llmtest.Say("I can't say."), nil, 2},
		{llm.ModeSchema, llmtest.JSON(map[string]any{"order": []int{}}), nil, 2},
	} {
		t.Run(fmt.Sprint(tt.mode, tt.want), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.On(llmtest.Any, tt.reply.Using(12, 3))
			var h heard
			order, err := rolesOver(t, s, tt.mode).Model.Rank(context.Background(), asked, bridges.All, h.emit)
			if err != nil || !slices.Equal(order, tt.want) {
				t.Errorf("order %v, %v, want %v", order, err, tt.want)
			}
			if s.Calls(llmtest.Any) != tt.calls || len(h.usages) != tt.calls {
				t.Errorf("%d calls, %d reported, want %d", s.Calls(llmtest.Any), len(h.usages), tt.calls)
			}
			text := s.Requests(llmtest.Any)[0].Text()
			for _, part := range []string{asked.Question, bridges.All[0].Text, "Passage 2"} {
				if !strings.Contains(text, part) {
					t.Errorf("the model was not told %q:\n%s", part, text)
				}
			}
		})
	}
}

func TestModelGradesSeveralInOneCall(t *testing.T) {
	t.Parallel()
	said := map[string]any{"grades": []map[string]any{{"passage": 2, "binary_score": "no", "reason": "is about swans"}, {"passage": 1, "binary_score": "yes", "reason": "names the builder"}, {"passage": 9, "binary_score": "yes", "reason": "x"}}}
	yes, no := domain.Grade{Verdict: domain.Relevant, Reason: "names the builder"}, domain.Grade{Verdict: domain.Irrelevant, Reason: "is about swans"}
	for _, tt := range []struct {
		mode  llm.Mode
		reply llmtest.Reply
		want  []domain.Grade
	}{
		{llm.ModeTool, llmtest.Call("grade_passages", said), []domain.Grade{yes, no}},
		{llm.ModeSchema, llmtest.JSON(said), []domain.Grade{yes, no}},
		{llm.ModePrompt, llmtest.Say("1: yes: names the builder\n2: no: is about swans"), []domain.Grade{yes, no}},
		{llm.ModePrompt, llmtest.Say("Passage 1: **yes** - names the builder\n[2] no, is about swans\n"), []domain.Grade{yes, no}},
		{llm.ModePrompt, llmtest.Say("2. No. is about swans"), []domain.Grade{{Verdict: domain.Ungraded}, no}},
		{llm.ModeTool, llmtest.Call("grade_passages", "{broken"), []domain.Grade{{Verdict: domain.Ungraded}, {Verdict: domain.Ungraded}}},
		{llm.ModeSchema, llmtest.JSON(map[string]any{"grades": []map[string]any{{"binary_score": "yes", "reason": "names the builder"}, {"binary_score": "no", "reason": "is about swans"}}}), []domain.Grade{yes, no}},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, tt.reply)
		second := gradeRequest()
		second.Passage = bridges.All[1]
		got, err := rolesOver(t, s, tt.mode).Model.GradeMany(context.Background(), asked, []answer.GradeRequest{gradeRequest(), second}, new(heard).emit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, %+v (-want +got)\n%s", tt.mode, tt.reply, diff)
		}
	}
}

func TestModelTakesQuestionsApart(t *testing.T) {
	t.Parallel()
	steps := []string{"Who built Weir Bridge?", "Where was #1 born?"}
	for _, tt := range []struct {
		mode  llm.Mode
		reply llmtest.Reply
		want  []string
	}{
		{llm.ModeTool, llmtest.Call("plan_searches", map[string]any{"questions": steps}), steps},
		{llm.ModeSchema, llmtest.JSON(map[string]any{"questions": []string{}}), nil},
		{llm.ModePrompt, llmtest.Say("1. Who built Weir Bridge?\n2. Where was #1 born?\n"), steps},
		{llm.ModePrompt, llmtest.Say("None."), nil},
		{llm.ModePrompt, llmtest.Say("I think that one search is enough for that."), nil},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, tt.reply)
		got, err := rolesOver(t, s, tt.mode).Model.Decompose(context.Background(), asked, new(heard).emit)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.mode, got, err, tt.want)
		}
	}
}

func TestModelSettlesASearch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode  llm.Mode
		reply llmtest.Reply
		want  string
	}{
		{llm.ModeTool, llmtest.Call("report_finding", map[string]any{"finding": "Ann Lee"}), "Ann Lee"},
		{llm.ModeSchema, llmtest.JSON(map[string]any{"finding": ""}), ""},
		{llm.ModePrompt, llmtest.Say("\"Ann Lee.\"\nShe built it."), "Ann Lee"},
		{llm.ModePrompt, llmtest.Say("None"), ""},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, tt.reply)
		got, err := rolesOver(t, s, tt.mode).Model.Settle(context.Background(), asked, bridges.All, new(heard).emit)
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.mode, got, err, tt.want)
		}
	}
}

// TestModelWritesAgain expects the writer to see the draft and what is wrong with it.
func TestModelWritesAgain(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("Ann Lee built it in 1812. [1]"))
	var n notes
	err := rolesOver(t, s, llm.ModeTool).Model.Revise(context.Background(), answer.ReviseRequest{
		Asked: asked, Passages: bridges.All, Draft: "Ann Lee built it in 1821. [1]", Faults: []answer.Fault{{Sentence: "Ann Lee built it in 1821.", Reason: "the quotation says 1812"}},
	}, &n, new(heard).emit)
	if err != nil || n.text != "Ann Lee built it in 1812.^" {
		t.Errorf("wrote %q, %v", n.text, err)
	}
	text := s.Requests(llmtest.Any)[0].Text()
	for _, part := range []string{asked.Question, bridges.All[0].Text, ">Ann Lee built it in 1821. [1]</", ">the quotation says 1812</"} {
		if !strings.Contains(text, part) {
			t.Errorf("was not told %q:\n%s", part, text)
		}
	}
}

// TestTheWriterIsToldOfStepsAndConflicts looks at what an answer is asked for.
func TestTheWriterIsToldOfStepsAndConflicts(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("Elsford. [1]"))
	_, err := rolesOver(t, s, llm.ModeTool).Writer.Write(context.Background(), answer.WriteRequest{
		Asked: asked, Passages: bridges.All, Steps: []answer.Step{{Asked: "Who built Weir Bridge?", Finding: "Ann Lee"}},
	}, &notes{}, new(heard).emit)
	if err != nil {
		t.Fatal(err)
	}
	text := s.Requests(llmtest.Any)[0].Text()
	for _, part := range []string{">Ann Lee</", "contradict each other, don't choose", "in the language of the question"} {
		if !strings.Contains(text, part) {
			t.Errorf("was not told %q:\n%s", part, text)
		}
	}
}

func TestAGradeThatCannotBeReadIsAskedForOnceMore(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("grade_passage", "{broken"), llmtest.Call("grade_passage", map[string]any{"binary_score": "no", "reason": "swans"}))
	g, err := rolesOver(t, s, llm.ModeTool).Grader.Grade(context.Background(), gradeRequest(), new(heard).emit)
	if err != nil || g != (domain.Grade{Verdict: domain.Irrelevant, Reason: "swans"}) || s.Calls(llmtest.Any) != 2 {
		t.Errorf("%+v, %v after %d calls", g, err, s.Calls(llmtest.Any))
	}
}

func TestAGradeThatCannotBeReadTwiceIsUngraded(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("I would rather not."))
	g, err := rolesOver(t, s, llm.ModePrompt).Grader.Grade(context.Background(), gradeRequest(), new(heard).emit)
	if err != nil || g.Verdict != domain.Ungraded || g.Reason == "" || s.Calls(llmtest.Any) != 2 {
		t.Errorf("%+v, %v after %d calls", g, err, s.Calls(llmtest.Any))
	}
}

func TestAModelThatDoesNotAnswerIsAnError(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Unauthorized())
	_, err := rolesOver(t, s, llm.ModeTool).Grader.Grade(context.Background(), gradeRequest(), new(heard).emit)
	if domain.KindOf(err) != domain.Forbidden {
		t.Errorf("got %v", err)
	}
}

func TestModelRewritesUntilTheWordingIsNew(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Call("search_again", map[string]any{"query": "Weir Bridge: who built?"}), llmtest.Call("search_again", map[string]any{"query": "mason of Weir Bridge"}))
	r := answer.RewriteRequest{Asked: asked, Before: []answer.Rewrite{{Text: asked.Question}}, Found: []answer.Rejected{{Passage: bridges.All[1], Reason: "is about swans"}}}
	got, err := rolesOver(t, s, llm.ModeTool).Rewriter.Rewrite(context.Background(), r, new(heard).emit)
	if err != nil || got != (answer.Rewrite{Text: "mason of Weir Bridge", How: "the model's rewording"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if text := s.Requests(llmtest.Any)[0].Text(); !strings.Contains(text, "The swans are hungry.") || !strings.Contains(text, "rejected because: <reason ") || !strings.Contains(text, ">is about swans</") {
		t.Errorf("the rewriter was not told what was found and why it was rejected:\n%s", text)
	}
}

func TestAModelWithoutANewWordingSearchesWider(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say(asked.Question))
	before := []answer.Rewrite{{Text: asked.Question}}
	got, err := rolesOver(t, s, llm.ModePrompt).Rewriter.Rewrite(context.Background(), answer.RewriteRequest{Asked: asked, Before: before}, new(heard).emit)
	if err != nil || got.Text != asked.Question || got.Wide != 1 || answer.Repeats(got, before) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestModelCondenses(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Prompt(">By Ann Lee.</"), llmtest.Say("When did Ann Lee build it?\n"), llmtest.Say(""))
	roles := rolesOver(t, s, llm.ModeTool)
	for _, want := range []string{"When did Ann Lee build it?", asked.Question} { // what was said, then nothing
		got, err := roles.Condenser.Condense(context.Background(), asked, []answer.Exchange{{Question: "By whom?", Answer: "By Ann Lee."}}, new(heard).emit)
		if err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// TestModelUnderstands reads what a model says that a question asks for, in each mode.
func TestModelUnderstands(t *testing.T) {
	t.Parallel()
	const said = `{"question":"Who is named in the lease?","asks_for":"list","about":["the lease"],"of":"people"}`
	for mode, reply := range map[llm.Mode]llmtest.Reply{
		llm.ModeTool:   llmtest.Call("understand_question", json.RawMessage(said)),
		llm.ModeSchema: llmtest.Say(said),
		llm.ModePrompt: llmtest.Say("```json\n" + said + "\n```"),
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, reply)
		text, ask, err := rolesOver(t, s, mode).Model.Understand(context.Background(), asked, nil, new(heard).emit)
		want := &intent.Ask{Kind: intent.List, Of: intent.Person, Where: "the lease"}
		if err != nil || text != "Who is named in the lease?" || !cmp.Equal(ask, want) {
			t.Errorf("%v: %q, %+v, %v", mode, text, ask, err)
		}
	}
}

// notes is a Pen that keeps what it receives.
type notes struct {
	text  string
	cited []string
}

func (n *notes) Quote(q answer.Quotation) { n.text += q.Text }
func (n *notes) Remark(sentence string)   { n.text += sentence }
func (n *notes) Anew()                    { n.text, n.cited = "", nil }
func (n *notes) Write(text string)        { n.text += text }
func (n *notes) Cite(p domain.Passage, span domain.Span) {
	n.text += "^"
	n.cited = append(n.cited, span.Shift(-p.Span.Start).Slice(p.Text))
}

func TestModelWritesWithCitations(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Reply{Text: "Ann Lee built it in 1812 [1]. The bridge has one arch.[1]", Pieces: []string{"Ann Lee ", "built it in 1812", " [", "1]. The bridge", " has one arch.", "[1]"}})
	var n notes
	_, err := rolesOver(t, s, llm.ModeTool).Writer.Write(context.Background(), answer.WriteRequest{Asked: asked, Passages: bridges.All}, &n, new(heard).emit)
	if err != nil {
		t.Fatal(err)
	}
	if n.text != "Ann Lee built it in 1812^. The bridge has one arch.^" {
		t.Errorf("wrote %q", n.text)
	}
	if diff := cmp.Diff([]string{"Ann Lee built Weir Bridge in 1812.", "It has one arch."}, n.cited); diff != "" {
		t.Errorf("cited (-want +got):\n%s", diff)
	}
	if text := s.Requests(llmtest.Any)[0].Text(); !strings.Contains(text, "[2] <title ") {
		t.Errorf("the passages are not numbered:\n%s", text)
	}
}

func TestModelChecksSupport(t *testing.T) {
	t.Parallel()
	claims := []answer.Claim{{Text: "No source."}, {Text: "Ann Lee built it.", Quotes: []string{"Ann Lee built Weir Bridge in 1812."}}, {Text: "It is blue.", Quotes: []string{"It has one arch."}}}
	for _, tt := range []struct {
		mode  llm.Mode
		reply llmtest.Reply
		want  []answer.Support
	}{
		{llm.ModeTool, llmtest.Call("report_support", map[string]any{"supported": []int{2}, "problems": []map[string]any{{"sentence": 3, "problem": "no colour is named"}}}), []answer.Support{{}, {OK: true}, {Reason: "no colour is named"}}},
		{llm.ModeSchema, llmtest.JSON(map[string]any{"supported": []int{}}), make([]answer.Support, 3)},
		{llm.ModePrompt, llmtest.Say("2, 3"), []answer.Support{{}, {OK: true}, {OK: true}}},
		{llm.ModePrompt, llmtest.Say("2\n3: it has 1 arch, no colour"), []answer.Support{{}, {OK: true}, {Reason: "it has 1 arch, no colour"}}},
		{llm.ModePrompt, llmtest.Say("none\n2: no\n3: no"), []answer.Support{{}, {Reason: "no"}, {Reason: "no"}}},
		{llm.ModePrompt, llmtest.Say("hard to say"), make([]answer.Support, 3)},
	} {
		s := llmtest.New(t)
		s.On(llmtest.Any, tt.reply)
		var h heard
		got, err := rolesOver(t, s, tt.mode).Supporter.Support(context.Background(), asked, claims, h.emit)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v; want %v", tt.mode, got, err, tt.want)
		}
		if unread := slices.Contains(h.kinds, domain.EventNote); unread != (tt.reply.Text == "hard to say") {
			t.Errorf("%s: emitted %v", tt.mode, h.kinds)
		}
	}
}

func TestNothingCitedNeedsNoCheck(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	got, err := rolesOver(t, s, llm.ModeTool).Supporter.Support(context.Background(), asked, []answer.Claim{{Text: "So."}}, new(heard).emit)
	if err != nil || got[0].OK || s.Calls(llmtest.Any) != 0 {
		t.Errorf("%v, %v after %d calls", got, err, s.Calls(llmtest.Any))
	}
}

// TestAnswersGoOnWithoutTools: a model that stops accepting tools is asked in the
// next mode, and the trace says so.
func TestAnswersGoOnWithoutTools(t *testing.T) {
	t.Parallel()
	for role, ask := range map[string]func(answer.Roles, answer.Emit) (string, error){
		"grade_passage": func(r answer.Roles, emit answer.Emit) (string, error) {
			g, err := r.Grader.Grade(t.Context(), gradeRequest(), emit)
			return string(g.Verdict), err
		},
		"search_again": func(r answer.Roles, emit answer.Emit) (string, error) {
			w, err := r.Rewriter.Rewrite(t.Context(), answer.RewriteRequest{Asked: asked, Before: []answer.Rewrite{{Text: asked.Question}}}, emit)
			return w.Text, err
		},
		"report_support": func(r answer.Roles, emit answer.Emit) (string, error) {
			yes, err := r.Supporter.Support(t.Context(), asked, []answer.Claim{{Text: "Ann Lee built it.", Quotes: []string{"Ann Lee built Weir Bridge."}}}, emit)
			return fmt.Sprint(yes[0].OK), err
		},
		"specify_chart": func(r answer.Roles, emit answer.Emit) (string, error) {
			c, err := r.Specifier.Specify(t.Context(), chart.Request{Question: asked.Question, Task: "arches", Evidence: chart.Evidence{Passages: bridges.All}}, chart.Emit(emit))
			return c.Title, err
		},
		answer.ChartTool: func(r answer.Roles, emit answer.Emit) (string, error) {
			turn, err := r.Writer.Write(t.Context(), answer.WriteRequest{Asked: asked, Passages: bridges.All, Charts: true}, &notes{}, emit)
			return turn.Text, err
		},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			refusal := llmtest.Fail(400, "tools are not enabled for this model")
			s.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}), refusal)
			s.On(llmtest.Tool(role), refusal)
			s.On(llmtest.Schema("report_city"), llmtest.JSON(map[string]any{"city": "Paris"}))
			s.On(llmtest.Schema(role), llmtest.JSON(map[string]any{
				"binary_score": "yes", "reason": "It does.", "query": "Ann Lee's bridge", "supported": []int{1}, "type": "bar", "title": "Arches", "points": []any{},
			}))
			s.On(llmtest.Plain, llmtest.Say("Ann Lee [1]."))
			said := 0
			got, err := ask(rolesOver(t, s, llm.ModeAuto), func(_ string, payload any) {
				if n, ok := payload.(domain.Note); ok && strings.Contains(n.Text, "in the mode schema") {
					said++
				}
			})
			want := map[string]string{"grade_passage": "yes", "search_again": "Ann Lee's bridge", "report_support": "true", "specify_chart": "Arches", answer.ChartTool: "Ann Lee [1]."}[role]
			if got != want || err != nil || said != 1 {
				t.Errorf("%q, %v, want %q; the trace says so %d times", got, err, want, said)
			}
		})
	}
}
