package questions_test

import (
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
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
		"A question can be reworded 0 to 20 times.":                      {MaxLoops: new(21)},
		"For a question 1 to 50 passages can be read.":                   {Passages: 51},
		"The budget of a question can be 100 to 10,000,000 tokens.":      {Budget: 1},
		"No model is connected that could put passages in order.":        {Rerank: &yes},
		"Where only passages are asked for, there is no writing to stop": {ContextOnly: true, Review: true},
		"A question is asked again as it was asked before":               {Again: "r", Passages: 3},
		"There is no way of searching":                                   {Method: "guess"},
	} {
		in.Question = "Who taught arithmetic?"
		_, err := askerOf(a).Ask(domain.WithWorkspace(t.Context(), testkit.Workspace), in, nil)
		if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Invalid || len(message) < len(says) || message[:len(says)] != says {
			t.Errorf("%+v: %v, want %q", in, err, says)
		}
	}
}
