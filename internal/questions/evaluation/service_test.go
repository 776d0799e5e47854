package evaluation_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

const (
	foundry = "The Carrow Foundry cast the bells of Osterby. It burned down in the year of the flood.\n"
	school  = "Agnes Lovibond taught arithmetic at the school. She retired to Highmoor.\n"
)

var set = []evaluation.Kept{
	{Question: evaluation.Question{Text: "  Who taught\n arithmetic?", Answers: []string{"agnes lovibond"}, Sources: []string{"school.txt"}}},
	{Question: evaluation.Question{Text: "What did the foundry cast?", Sources: []string{"foundry.txt"}}},
	{Question: evaluation.Question{Text: "Which submarine surfaced?"}},
}

// open opens a library of two documents with three questions that are kept.
func open(t *testing.T, o testkit.Options) *testkit.App {
	t.Helper()
	a := testkit.Open(t, o)
	for name, text := range map[string]string{"foundry.txt": foundry, "school.txt": school} {
		if d := a.Read(t, name, text); d.Status != domain.DocumentReady {
			t.Fatalf("got %s with status %s: %s", name, d.Status, d.Problem)
		}
	}
	if added, err := a.Evaluation.Keep(t.Context(), testkit.Workspace, ledger.FirstSet, set...); err != nil || added != len(set) {
		t.Fatalf("kept %d questions, error %v", added, err)
	}
	return a
}

func start(t *testing.T, a *testkit.App, s evaluation.Setting) evaluation.Evaluation {
	t.Helper()
	e, err := a.Evaluation.Start(t.Context(), testkit.Workspace, ledger.FirstSet, s)
	testkit.Must(t, err)
	return e
}

// ends waits until an evaluation no longer works.
func ends(t *testing.T, a *testkit.App, id domain.EvaluationID) evaluation.Evaluation {
	t.Helper()
	for {
		e, err := a.Evaluation.Result(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		if !e.Working() {
			return e
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the evaluation does not end")
		}
	}
}

func usual(a *testkit.App) evaluation.Setting { return a.Evaluation.Usually(evaluation.Choice{}) }

func TestAnEvaluationAsksAllQuestions(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	e := ends(t, a, start(t, a, usual(a)).ID)
	s := e.Score
	if e.Status != ledger.EvaluationDone || s.Questions != 3 || s.Right != 2 || s.RefusedRightly != 1 || s.ToRefuse != 1 || s.Recall != 1 || s.Failed != 0 {
		t.Errorf("got %+v", e)
	}
	first := s.Replies[0]
	if first.Text != "Who taught arithmetic?" || first.Answer != "Agnes Lovibond taught arithmetic at the school. [1]" || first.Ranks[0] != 1 {
		t.Errorf("the first reply is %+v", first)
	}
	if want := (evaluation.Facts{Documents: 2, Passages: 2}); e.Facts != want {
		t.Errorf("facts %+v, want %+v", e.Facts, want)
	}

	if _, n, err := a.Ledger.Conversations(t.Context(), testkit.Workspace, 0, 0); err != nil || n != 0 {
		t.Errorf("%d conversations, error %v", n, err)
	}
	runs, err := a.Queue.List(t.Context(), testkit.Workspace, job.Query{Except: a.Kinds.Apart("")})
	testkit.Must(t, err)
	for _, r := range runs {
		if r.Kind == evaluation.Kind {
			t.Errorf("the list of runs has %+v", r)
		}
	}
	about, err := a.Kinds.Subjects(t.Context(), runOf(t, a, first.Run))
	testkit.Must(t, err)
	if about[0].Title != first.Text || about[0].Path != link.OneEvaluation(e.ID)+"#question-1" {
		t.Errorf("the run is about %+v", about)
	}

	history, err := a.Evaluation.History(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	s.Replies = nil
	if len(history) != 1 || !cmp.Equal(history[0].Score, s) {
		t.Errorf("history %+v, want the score %+v", history, s)
	}
	testkit.Must(t, a.Evaluation.Delete(t.Context(), testkit.Workspace, e.ID))
	if _, err := a.Queue.Get(t.Context(), testkit.Workspace, first.Run); domain.KindOf(err) != domain.NotFound {
		t.Errorf("the run of a deleted evaluation: %v", err)
	}
}

func runOf(t *testing.T, a *testkit.App, id domain.RunID) job.Run {
	t.Helper()
	r, err := a.Queue.Get(t.Context(), testkit.Workspace, id)
	testkit.Must(t, err)
	return r
}

// TestAnEvaluationGoesOnAfterItsProcessEnds ends the process while the second answer
// is written: the next process writes it to the end, and nobody is asked again who has
// answered.
func TestAnEvaluationGoesOnAfterItsProcessEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := make(chan struct{})
	var reached atomic.Bool
	first := &testkit.Roles{Word: func(ctx context.Context, question, _ string) error {
		if !strings.Contains(question, "foundry") {
			return nil
		}
		if reached.CompareAndSwap(false, true) {
			close(at)
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	a := open(t, testkit.Options{Dir: dir, Roles: first})
	e := start(t, a, usual(a))
	<-at
	testkit.Must(t, a.Worker.Stop(context.WithoutCancel(t.Context())))
	before := first.Calls()

	second := &testkit.Roles{}
	b := testkit.Open(t, testkit.Options{Dir: dir, Roles: second})
	got := ends(t, b, e.ID)
	if got.Score.Right != 2 || got.Score.RefusedRightly != 1 {
		t.Errorf("got %+v", got.Score)
	}
	if !got.Score.Replies[1].Resumed || got.Score.Replies[1].Millis != 0 || got.Score.Replies[0].Resumed {
		t.Errorf("the second reply %+v should be marked as resumed", got.Score.Replies[1])
	}
	after := second.Calls()
	whole := &testkit.Roles{}
	c := open(t, testkit.Options{Roles: whole})
	ends(t, c, start(t, c, usual(c)).ID)
	for role, n := range whole.Calls() {
		twice := 0
		if role == answer.RoleWrite {
			twice = 1 // it was being written
		}
		if before[role]+after[role] != n+twice {
			t.Errorf("%s was asked %d and %d times, undisturbed %d", role, before[role], after[role], n)
		}
	}
}

// TestAStoppedEvaluationGoesOn stops at the first question.
func TestAStoppedEvaluationGoesOn(t *testing.T) {
	t.Parallel()
	at := make(chan struct{})
	var reached, on atomic.Bool
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(ctx context.Context, _, _ string) error {
		if on.Load() {
			return nil
		}
		if reached.CompareAndSwap(false, true) {
			close(at)
		}
		<-ctx.Done()
		return ctx.Err()
	}}})
	ctx := t.Context()
	e := start(t, a, usual(a))
	<-at
	testkit.Must(t, a.Evaluation.Stop(ctx, testkit.Workspace, e.ID))
	on.Store(true)
	stopped := ends(t, a, e.ID)
	if stopped.Status != ledger.EvaluationStopped || stopped.Score.Questions != 0 {
		t.Errorf("stopped: %+v", stopped)
	}
	for {
		err := a.Evaluation.GoOn(ctx, testkit.Workspace, e.ID)
		if err == nil {
			break
		}
		if domain.KindOf(err) != domain.Conflict {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if done := ends(t, a, e.ID); done.Status != ledger.EvaluationDone || done.Score.Right != 2 || done.Score.Questions != 3 {
		t.Errorf("after it went on: %+v", done)
	}
	testkit.Must(t, a.Evaluation.Stop(ctx, testkit.Workspace, e.ID)) // has ended
	testkit.Must(t, a.Evaluation.GoOn(ctx, testkit.Workspace, e.ID))
}

// TestAQuestionThatBreaksFailsAlone breaks the answer of one question.
func TestAQuestionThatBreaksFailsAlone(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(_ context.Context, question, _ string) error {
		if strings.Contains(question, "arithmetic") {
			return errors.New("broken")
		}
		return nil
	}}})
	e := ends(t, a, start(t, a, usual(a)).ID)
	if r := e.Score.Replies[0]; e.Score.Failed != 1 || e.Score.Right != 1 || r.Verdict != evaluation.Failed || r.Problem == "" {
		t.Errorf("got %+v", e.Score)
	}
}

func TestWhatCanNotBeEvaluated(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	ctx := t.Context()
	begin := func(change func(*evaluation.Setting)) error {
		s := usual(a)
		change(&s)
		_, err := a.Evaluation.Start(ctx, testkit.Workspace, ledger.FirstSet, s)
		return err
	}
	want := func(what string, err error, kind domain.Kind, says string) {
		t.Helper()
		if domain.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	want("no question", begin(func(*evaluation.Setting) {}), domain.Invalid, "has no questions")
	_, err := a.Evaluation.Keep(ctx, testkit.Workspace, ledger.FirstSet, set...)
	testkit.Must(t, err)
	want("loops", begin(func(s *evaluation.Setting) { s.MaxLoops = 99 }), domain.Invalid, "rewrites must be between 0 and 20")
	want("passages", begin(func(s *evaluation.Setting) { s.Passages = 101 }), domain.Invalid, "between 1 and 100")
	want("method", begin(func(s *evaluation.Setting) { s.Method = "magic" }), domain.Invalid, "no search method")
	want("vectors", begin(func(s *evaluation.Setting) { s.Method = domain.MethodVectors }), domain.Invalid, "embed")
	want("model", begin(func(s *evaluation.Setting) { s.Model = "none" }), domain.Invalid, `no model "none"`)
	for range 4 {
		testkit.Must(t, begin(func(*evaluation.Setting) {}))
	}
	want("a fifth", begin(func(*evaluation.Setting) {}), domain.TooMany, "4 evaluations are already running")
	for says, q := range map[string]evaluation.Question{
		"is empty": {Text: " \n"}, "has 4001 characters": {Text: strings.Repeat("x", 4001)}, "at most 20": {Text: "Who?", Answers: make([]string, 21)}, "has 401 characters": {Text: "Who?", Sources: []string{strings.Repeat("x", 401)}},
	} {
		_, err := a.Evaluation.Keep(ctx, testkit.Workspace, ledger.FirstSet, evaluation.Kept{Question: q})
		if k := domain.KindOf(err); k != domain.Invalid && k != domain.TooLarge || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestTwoSettings compares one passage of each search with eight.
func TestTwoSettings(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	_, err := a.Evaluation.Keep(t.Context(), testkit.Workspace, ledger.FirstSet, evaluation.Kept{Question: evaluation.Question{
		Text: "Who taught arithmetic, and what did the foundry cast?", Answers: []string{"Osterby"}, Sources: []string{"school.txt", "foundry.txt"},
	}})
	testkit.Must(t, err)
	narrow := ends(t, a, start(t, a, a.Evaluation.Usually(evaluation.Choice{Model: "other", MaxLoops: new(0), Passages: new(1)})).ID)
	wide := ends(t, a, start(t, a, usual(a)).ID)
	c := evaluation.Compare(narrow, wide)
	if len(c.Pairs) != 4 || c.Alone != 0 || c.Count(evaluation.Worse) != 0 || c.B.Score.Recall != 1 || c.A.Score.Recall >= 1 {
		t.Errorf("got %+v", c)
	}
	want := []evaluation.Difference{{What: "model", Before: "other", After: "scripted"}, {What: "rewrites", Before: "0", After: "3"}, {What: "passages graded", Before: "1", After: "8"}}
	if diff := cmp.Diff(want, c.Differs); diff != "" {
		t.Errorf("differences: -want +got\n%s", diff)
	}
}

// TestAVerdictByHandCounts judges answers by hand, and takes a verdict back.
func TestAVerdictByHandCounts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := open(t, testkit.Options{})
	e := ends(t, a, start(t, a, usual(a)).ID)
	judge := func(n int, v, before evaluation.Verdict) evaluation.Score {
		t.Helper()
		if got, err := a.Evaluation.Judge(ctx, testkit.Workspace, e.ID, n, v); err != nil || got != before {
			t.Errorf("question %d was %q before, error %v, want %q", n, got, err, before)
		}
		result, err := a.Evaluation.Result(ctx, testkit.Workspace, e.ID)
		testkit.Must(t, err)
		history, err := a.Evaluation.History(ctx, testkit.Workspace)
		testkit.Must(t, err)
		s := result.Score
		s.Replies = nil
		if !cmp.Equal(history[0].Score, s) {
			t.Errorf("the history has the score %+v, want %+v", history[0].Score, s)
		}
		return result.Score
	}
	if s := judge(1, evaluation.Wrong, ""); s.Right != 1 || s.Wrong != 1 || s.ByHand != 1 || s.Replies[0].Says() != "wrong by hand (right by rule)" {
		t.Errorf("judged wrong: %+v", s)
	}
	judge(1, evaluation.Half, evaluation.Wrong)
	if s := judge(3, evaluation.Refused, ""); s.RefusedRightly != 1 || s.ToRefuse != 1 || s.ByHand != 2 || s.Replies[2].Verdict != evaluation.RefusedRightly {
		t.Errorf("a question to be refused is judged refused: %+v", s)
	}
	if s := judge(3, evaluation.Right, evaluation.Refused); s.ToRefuse != 0 || s.Right != 2 || s.Known() != 3 {
		t.Errorf("a question to be refused is judged right: %+v", s)
	}
	judge(3, "", evaluation.Right)
	if s := judge(1, "", evaluation.Half); !cmp.Equal(s, e.Score) {
		t.Errorf("taken back: %+v, want %+v", s, e.Score)
	}
	for want, judged := range map[domain.Kind]func() error{
		domain.Invalid: func() error {
			_, err := a.Evaluation.Judge(ctx, testkit.Workspace, e.ID, 1, evaluation.Failed)
			return err
		},
		domain.NotFound: func() error {
			_, err := a.Evaluation.Judge(ctx, testkit.Workspace, e.ID, 4, evaluation.Right)
			return err
		},
		domain.Conflict: func() error {
			open := addOpen(t, a)
			_, err := a.Evaluation.Judge(ctx, testkit.Workspace, open, 1, evaluation.Right)
			return err
		},
	} {
		if err := judged(); domain.KindOf(err) != want {
			t.Errorf("want an error of kind %v, got %v", want, err)
		}
	}
}

// addOpen stores an evaluation of one question that nobody asks.
func addOpen(t *testing.T, a *testkit.App) domain.EvaluationID {
	t.Helper()
	none := json.RawMessage(`{}`)
	e := ledger.Evaluation{ID: "v1", Workspace: testkit.Workspace, Set: ledger.FirstSet, Setting: none, Facts: none, Score: none, Status: ledger.EvaluationStopped}
	testkit.Must(t, a.Ledger.AddEvaluation(t.Context(), e, []ledger.EvaluationReply{{N: 1, Question: "q", Text: "Who?", Status: ledger.MessageStopped, Figures: none}}))
	return e.ID
}

// TestSetsAreAskedApart asks the questions of one of two sets.
func TestSetsAreAskedApart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := open(t, testkit.Options{})
	bells, err := a.Evaluation.AddSet(ctx, testkit.Workspace, "  About\n bells ")
	testkit.Must(t, err)
	if added, err := a.Evaluation.Keep(ctx, testkit.Workspace, bells.ID, set[1]); err != nil || added != 1 || bells.Name != "About bells" {
		t.Fatalf("added %d to %+v, error %v", added, bells, err)
	}
	e, err := a.Evaluation.Start(ctx, testkit.Workspace, bells.ID, usual(a))
	testkit.Must(t, err)
	if e = ends(t, a, e.ID); e.Set != bells.ID || len(e.Score.Replies) != 1 || e.Score.Right != 1 {
		t.Errorf("asked %+v", e)
	}
	testkit.Must(t, a.Evaluation.RenameSet(ctx, testkit.Workspace, bells.ID, "Bells"))
	for which, want := range map[string]domain.SetID{"": ledger.FirstSet, "bells": bells.ID, string(bells.ID): bells.ID} {
		if got, err := a.Evaluation.FindSet(ctx, testkit.Workspace, which); err != nil || got.ID != want {
			t.Errorf("the set %q is %+v, error %v", which, got, err)
		}
	}
	if _, err := a.Evaluation.FindSet(ctx, testkit.Workspace, "none"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a set that is not there: %v", err)
	}
	for _, name := range []string{" ", strings.Repeat("a", evaluation.MaxSetName+1)} {
		if _, err := a.Evaluation.AddSet(ctx, testkit.Workspace, name); domain.KindOf(err) != domain.Invalid {
			t.Errorf("a set named %q: %v", name, err)
		}
	}
}

// TestSettings chooses what can differ between two evaluations, and says it.
func TestSettings(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	chosen := a.Evaluation.Usually(evaluation.Choice{Method: domain.MethodWords, GradeMany: new(4), Rerank: new(20), Decompose: new(true)})
	if got, want := chosen.String(), "words, scripted, 3 rewrites, 8 passages, 4 in a call, first 20 put in order, in steps"; got != want {
		t.Errorf("the setting is %q, want %q", got, want)
	}
	if builtIn := a.Evaluation.Usually(evaluation.Choice{Model: "built-in"}).String(); builtIn != "default, built-in, 3 rewrites, 8 passages" {
		t.Errorf("built-in is %q", builtIn)
	}
	var said []string
	for _, d := range (evaluation.Evaluation{Setting: usual(a), Facts: evaluation.Facts{Chunking: "by format"}}).Differences(evaluation.Evaluation{Setting: chosen, Facts: evaluation.Facts{Chunking: "by headings in 2, by format in 1"}}) {
		said = append(said, d.String())
	}
	if diff := cmp.Diff([]string{"search default → words", "passages in a call 1 → 4", "put in order 0 → 20", "questions in steps no → yes", "chunking by format → by headings in 2, by format in 1"}, said); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := evaluation.SayChunking([]ledger.Cut{{How: domain.Chunking{By: domain.ByHeadings, Tokens: 128}, Documents: 2}, {Documents: 1}}); got != "by headings, at most 128 tokens each in 2, by format in 1" {
		t.Errorf("chunking is %q", got)
	}
	for what, s := range map[string]evaluation.Choice{
		"0 passages in a call": {GradeMany: new(0)}, "31 put in order": {Rerank: new(domain.MaxRanked + 1)},
		"in steps without a model": {Model: "built-in", Decompose: new(true)}, "in order without a model": {Model: "built-in", Rerank: new(20)},
	} {
		if _, err := a.Evaluation.Start(t.Context(), testkit.Workspace, ledger.FirstSet, a.Evaluation.Usually(s)); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}
