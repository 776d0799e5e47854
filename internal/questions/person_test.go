package questions_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit"
)

// waiting asks a question and waits until it waits for a person.
func waiting(t *testing.T, a *testkit.App, text string, o questions.Options) ledger.Answer {
	t.Helper()
	m, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: text, Options: o})
	testkit.Must(t, err)
	a.WaitForSleep(t, m.Run)
	m = message(t, a, m.Message)
	if m.Status != ledger.MessageAsking {
		t.Fatalf("got status %s: %s", m.Status, m.Problem)
	}
	return m
}

func asking(t *testing.T, a *testkit.App, m ledger.Answer) *answer.Asking {
	t.Helper()
	asked, err := a.Questions.Asking(t.Context(), testkit.Workspace, m.Run)
	testkit.Must(t, err)
	return asked
}

func reply(a *testkit.App, m ledger.Answer, r answer.Reply) error {
	return a.Questions.Continue(context.Background(), testkit.Workspace, m.Run, r)
}

// passage returns the chunk of a document.
func passage(t *testing.T, a *testkit.App, name string) domain.ChunkID {
	t.Helper()
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{Text: name})
	testkit.Must(t, err)
	chunks, err := a.Ledger.Chunks(t.Context(), testkit.Workspace, docs[0].ID)
	testkit.Must(t, err)
	return chunks[0].ID
}

// TestAQuestionWaitsForAPersonAcrossARestart stops the program while a question
// waits, and replies in another.
func TestAQuestionWaitsForAPersonAcrossARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := testkit.Open(t, testkit.Options{Dir: dir})
	a.Read(t, "foundry.txt", foundry)
	a.Read(t, "school.txt", school)
	m := waiting(t, a, "Who taught arithmetic?", questions.Options{Review: true})
	testkit.Must(t, a.Worker.Stop(context.Background()))

	b := testkit.Open(t, testkit.Options{Dir: dir})
	asked := asking(t, b, m)
	if asked == nil || asked.Nothing || len(asked.Passages) != 1 || asked.Passages[0].Name != "school.txt" {
		t.Fatalf("asks %+v", asked)
	}
	for what, r := range map[string]struct {
		reply answer.Reply
		kind  domain.Kind
	}{
		"a passage that is not there": {answer.Reply{Add: []domain.ChunkID{"c0"}}, domain.NotFound},
		"a passage both ways":         {answer.Reply{Add: []domain.ChunkID{asked.Passages[0].Chunk}, Drop: []domain.ChunkID{asked.Passages[0].Chunk}}, domain.Invalid},
		"a hint that is too long":     {answer.Reply{Hint: strings.Repeat("ä", questions.MaxHint+1)}, domain.TooLarge},
	} {
		if err := reply(b, m, r.reply); domain.KindOf(err) != r.kind {
			t.Errorf("%s: %v", what, err)
		}
		if asking(t, b, m) == nil {
			t.Fatalf("%s: the question is no longer open", what)
		}
	}
	cast := passage(t, b, "foundry.txt")
	testkit.Must(t, reply(b, m, answer.Reply{Drop: []domain.ChunkID{asked.Passages[0].Chunk}, Add: []domain.ChunkID{cast}}))
	b.Watch(t, m.Run)
	got := message(t, b, m.Message)
	if got.Status != ledger.MessageDone || len(got.Citations) == 0 || slices.ContainsFunc(got.Citations, func(c domain.Citation) bool { return c.Chunk != cast }) {
		t.Errorf("got status %s, answer %q, citations %+v", got.Status, got.Text, got.Citations)
	}
	if err := reply(b, m, answer.Reply{}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a second reply: %v", err)
	}
	events, err := b.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	if v := trace.Fold(m.Run, b.Answer.Topology(), events); v.State != trace.Done || v.Asks || v.Resumed || v.Problem != "" {
		t.Errorf("view %s, asks %t, resumed %t: %s", v.State, v.Asks, v.Resumed, v.Problem)
	}
}

func TestAHintLetsAQuestionSearchAgain(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := waiting(t, a, "Which submarine sank?", questions.Options{Hint: true})
	if asked := asking(t, a, m); asked == nil || !asked.Nothing || !asked.Hints {
		t.Fatalf("asks %+v", asked)
	}
	testkit.Must(t, reply(a, m, answer.Reply{Hint: "  Carrow \n bells"}))
	a.WaitForSleep(t, m.Run) // the passage says nothing of a submarine
	asked := asking(t, a, m)
	if asked == nil || !slices.ContainsFunc(asked.Passages, func(g domain.Grading) bool { return g.Name == "foundry.txt" }) {
		t.Fatalf("asks %+v", asked)
	}
	testkit.Must(t, reply(a, m, answer.Reply{}))
	a.Watch(t, m.Run)
	if got := message(t, a, m.Message); got.Status != ledger.MessageDone || got.Text != answer.SaysNotOutright {
		t.Errorf("got status %s, answer %q", got.Status, got.Text)
	}
}

// TestWaitingQuestionsHoldNoPlace lets more questions wait than are answered at
// a time: another is answered all the same.
func TestWaitingQuestionsHoldNoPlace(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	for range 6 {
		waiting(t, a, "Who taught arithmetic?", questions.Options{Review: true})
	}
	if m := a.Answered(t, "", "Who taught arithmetic?"); m.Status != ledger.MessageDone {
		t.Errorf("got status %s", m.Status)
	}
	runs, err := a.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: questions.Kind, Status: []job.Status{job.Running}})
	testkit.Must(t, err)
	if len(runs) != 0 {
		t.Errorf("%d runs are leased while they wait", len(runs))
	}
}

func TestStopWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := waiting(t, a, "Who taught arithmetic?", questions.Options{Review: true})
	testkit.Must(t, a.Queue.Stop(t.Context(), testkit.Workspace, m.Run))
	a.Watch(t, m.Run)
	if got := message(t, a, m.Message); got.Status != ledger.MessageStopped {
		t.Errorf("got status %s", got.Status)
	}
	if err := reply(a, m, answer.Reply{}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a reply after the stop: %v", err)
	}
}

// TestAQuestionAsksAgainWhenWhatItFoundIsDeleted deletes the document with the
// passage that a person looks at. The run begins again, and what they replied to
// before does not stand in for the next reply.
func TestAQuestionAsksAgainWhenWhatItFoundIsDeleted(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := waiting(t, a, "Who taught arithmetic?", questions.Options{Hint: true, Review: true})
	testkit.Must(t, reply(a, m, answer.Reply{Hint: "Carrow bells"}))
	a.WaitForSleep(t, m.Run)
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{Text: "school.txt"})
	testkit.Must(t, err)
	a.Delete(t, docs[0].ID)
	a.Clock.Advance(time.Second)
	a.WaitForSleep(t, m.Run)
	asked := asking(t, a, m)
	if asked == nil || slices.ContainsFunc(asked.Passages, func(g domain.Grading) bool { return g.Name == "school.txt" }) {
		t.Fatalf("asks %+v", asked)
	}
	testkit.Must(t, reply(a, m, answer.Reply{}))
	a.Watch(t, m.Run)
	if got := message(t, a, m.Message); got.Status != ledger.MessageDone {
		t.Errorf("got status %s", got.Status)
	}
}

func TestTheWordsAreWrittenOnlyAfterTheReply(t *testing.T) {
	t.Parallel()
	var words atomic.Int64
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(context.Context, string, string) error {
		words.Add(1)
		return nil
	}}})
	m := waiting(t, a, "Who taught arithmetic?", questions.Options{Review: true})
	if words.Load() != 0 {
		t.Error("it wrote before the reply")
	}
	testkit.Must(t, reply(a, m, answer.Reply{}))
	a.Watch(t, m.Run)
	if words.Load() == 0 {
		t.Error("it did not write after the reply")
	}
}
