package questions_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/testkit"
)

func askerOf(a *testkit.App) questions.Asker {
	return questions.Asker{Service: a.Questions, Reports: &report.Runs{Queue: a.Queue, Hub: a.Hub, Ledger: a.Ledger, Costs: a.Costs, Now: a.Clock.Now}}
}

func asked(t *testing.T, a *testkit.App, in questions.Asking) questions.Reply {
	t.Helper()
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	m, err := askerOf(a).Ask(ctx, in, nil)
	testkit.Must(t, err)
	a.Watch(t, m.Run)
	m, err = a.Ledger.Answer(ctx, testkit.Workspace, m.Run)
	testkit.Must(t, err)
	r, err := askerOf(a).Replied(ctx, m)
	testkit.Must(t, err)
	return r
}

// TestPassagesAloneAreAskedFor: they are graded, none is written from, and the question can be asked again in the usual way.
func TestPassagesAloneAreAskedFor(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	for _, question := range []string{"Who taught arithmetic?", "What is this library about?"} {
		r := asked(t, a, questions.Asking{Question: question, ContextOnly: true})
		if r.Status != ledger.MessageDone || r.Answered || r.Answer != answer.SaysNotWritten || len(r.Citations) > 0 {
			t.Errorf("%s: got %s, %q with %d citations", question, r.Status, r.Answer, len(r.Citations))
		}
	}
	r := asked(t, a, questions.Asking{Question: "Who taught arithmetic?", ContextOnly: true})
	if len(r.Passages) == 0 || r.Passages[0].Document != "school.txt" || r.Passages[0].Grade != domain.Relevant || r.Passages[0].Text == "" || r.Passages[0].Address == "" {
		t.Errorf("got passages %+v", r.Passages)
	}
	usual := asked(t, a, questions.Asking{Question: "Who taught arithmetic?"})
	if !usual.Answered || usual.Passages != nil {
		t.Errorf("asked as usual, it answers %q and lists %d passages", usual.Answer, len(usual.Passages))
	}
	again := asked(t, a, questions.Asking{Again: domain.RunID(usual.Run)})
	if again.Run == usual.Run || again.Question != usual.Question || again.Message != usual.Message {
		t.Errorf("asked again: %+v", again)
	}
}

// TestOptionsBoundTheLoopAndTheSearch: what a question says counts in place of the settings.
func TestOptionsBoundTheLoopAndTheSearch(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	for _, loops := range []int{0, 1} {
		if r := asked(t, a, questions.Asking{Question: "Which submarine sank?", MaxLoops: &loops}); r.LoopCount != loops {
			t.Errorf("with %d rewrites allowed, there were %d", loops, r.LoopCount)
		}
	}
	if r := asked(t, a, questions.Asking{Question: "Who cast bells or taught arithmetic?", Passages: 1, MaxLoops: new(0), ContextOnly: true}); len(r.Passages) != 1 {
		t.Errorf("with one passage wanted, %d were read", len(r.Passages))
	}
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	yes := true
	for says, in := range map[string]questions.Asking{
		"A question can be reworded between 0 and 20 times.":             {MaxLoops: new(21)},
		"A question can read between 1 and 50 passages.":                 {Passages: 51},
		"The budget of a question can be 100 to 10,000,000 tokens.":      {Budget: 1},
		"No model is connected that could put passages in order.":        {Rerank: &yes},
		"Where only passages are asked for, there is no writing to stop": {ContextOnly: true, Review: true},
		"A question is asked again as it was asked before":               {Again: "r", Passages: 3},
		"There is no search method":                                      {Method: "guess"},
	} {
		in.Question = "Who taught arithmetic?"
		_, err := askerOf(a).Ask(domain.WithWorkspace(t.Context(), testkit.Workspace), in, nil)
		if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Invalid || len(message) < len(says) || message[:len(says)] != says {
			t.Errorf("%+v: %v, want %q", in, err, says)
		}
	}
}

// TestRunsOfAnswersAreOperated: a program forks, replays and continues a run, and has its question answered by each method.
func TestRunsOfAnswersAreOperated(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	ctx, asker := domain.WithWorkspace(t.Context(), testkit.Workspace), askerOf(a)
	do := func(name string, set func(in any)) (any, error) {
		for _, o := range questions.RunOperations() {
			if row := o.Row(); row.Name == name {
				in := reflect.New(row.In).Interface()
				testkit.Must(t, operation.Fill(in, func(operation.Field) []string { return nil }))
				set(in)
				return row.Do(ctx, asker, in)
			}
		}
		t.Fatalf("no operation %s", name)
		return nil, nil
	}
	first := asked(t, a, questions.Asking{Question: "Who taught arithmetic?"})
	out, err := do("run fork", func(in any) {
		f := in.(*questions.Forking)
		f.ID, f.Step, f.Set = domain.RunID(first.Run), new(0), []string{"question=Who cast bells?"}
	})
	if r, ok := out.(questions.Reply); err != nil || !ok || r.Status != ledger.MessageDone || r.Run == first.Run || r.Answer == first.Answer || r.At() != "" {
		t.Errorf("the fork: %+v, %v", out, err)
	}
	for says, f := range map[string]questions.Forking{"at which step": {Set: []string{"max_loops=0"}}, "has no value": {Step: new(0), Set: []string{"max_loops"}}} {
		if _, err := do("run fork", func(in any) {
			g := in.(*questions.Forking)
			g.ID, g.Step, g.Set = domain.RunID(first.Run), f.Step, f.Set
		}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", f, err, says)
		}
	}
	run := func(in any) { reflect.ValueOf(in).Elem().FieldByName("ID").SetString(first.Run) }
	if _, err := do("run replayed", run); domain.KindOf(err) != domain.NotFound {
		t.Errorf("before a replay: %v", err)
	}
	for _, name := range []string{"run replay", "run replayed"} {
		if out, err := do(name, run); err != nil || !out.(questions.ReplayedRun).Same || out.(questions.ReplayedRun).At() != "" {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
	if _, err := do("run continue", run); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a run that asks nothing goes on: %v", err)
	}
	m := waiting(t, a, "Who taught arithmetic?", questions.Options{Review: true})
	out, err = do("run continue", func(in any) { in.(*questions.Continuing).ID = m.Run })
	if r, ok := out.(questions.Reply); err != nil || !ok || r.Status != ledger.MessageDone || r.Answer != first.Answer {
		t.Errorf("it goes on: %+v, %v", out, err)
	}
}
