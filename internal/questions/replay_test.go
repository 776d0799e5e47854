package questions_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/testkit"
)

// replayed replays a run and compares.
func replayed(t *testing.T, a *testkit.App, id domain.RunID) *questions.Replayed {
	t.Helper()
	b, err := a.Questions.StartReplay(t.Context(), testkit.Workspace, id, nil)
	testkit.Must(t, err)
	a.Watch(t, b.Run)
	r, err := a.Queue.Get(t.Context(), testkit.Workspace, id)
	testkit.Must(t, err)
	got, err := a.Questions.Replayed(t.Context(), r)
	testkit.Must(t, err)
	if got == nil || got.Branch != b.Branch {
		t.Fatalf("the replay of %s is %+v, want %s", id, got, b.Branch)
	}
	return got
}

// TestAReplayDoesTheSame replays an answer, one that was reworded until nothing
// was left, a follow-up, and one in which a person chose.
func TestAReplayDoesTheSame(t *testing.T) {
	t.Parallel()
	var slow atomic.Pointer[testkit.Clock] // set while replaying
	a := open(t, testkit.Options{Walk: true, Roles: &testkit.Roles{Word: func(context.Context, string, string) error {
		if c := slow.Load(); c != nil {
			c.Advance(time.Second)
		}
		return nil
	}}})
	plain := a.Answered(t, "", both)
	none := a.Answered(t, "", "Which submarine sank in the flood?")
	follow := a.Answered(t, plain.Conversation, "Where did she go?")
	asked, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: both, Options: questions.Options{Review: true}})
	testkit.Must(t, err)
	a.WaitForSleep(t, asked.Run)
	waits, err := a.Questions.Asking(t.Context(), testkit.Workspace, asked.Run)
	testkit.Must(t, err)
	testkit.Must(t, a.Questions.Continue(t.Context(), testkit.Workspace, asked.Run, answer.Reply{Drop: []domain.ChunkID{waits.Passages[0].Chunk}}))
	a.Watch(t, asked.Run)
	slow.Store(a.Clock)
	for what, m := range map[string]ledger.Answer{"plain": plain, "reworded": none, "follow-up": follow, "chosen": asked} {
		got := replayed(t, a, m.Run)
		if !got.Same() || len(got.Nodes) < 4 {
			t.Errorf("%s: %+v: %s", what, got.First(), got.Problem)
		}
		before, err := a.Ledger.Message(t.Context(), testkit.Workspace, m.Message)
		testkit.Must(t, err)
		if got.Text != before.Text {
			t.Errorf("%s: the replay says %q, the answer %q", what, got.Text, before.Text)
		}
	}
	all, err := a.Ledger.BranchesOf(t.Context(), testkit.Workspace, plain.Message)
	testkit.Must(t, err)
	replayed(t, a, plain.Run)
	if again, err := a.Ledger.BranchesOf(t.Context(), testkit.Workspace, plain.Message); err != nil || len(again) != len(all) {
		t.Errorf("%d branches after another replay, %d before, error %v", len(again), len(all), err)
	}
}

// TestAReplaySaysWhatChanged adds a document that the search finds.
func TestAReplaySaysWhatChanged(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	a.Read(t, "second.txt", "Beatrice Osgood taught arithmetic as well, and arithmetic only.")
	got := replayed(t, a, m.Run)
	first := got.First()
	if first == nil || first.Name != answer.NodeRetrieve || first.Mark != compare.Differs || first.Row != 1 {
		t.Fatalf("the first difference is %+v", first)
	}
	if d := first.Difference; d == nil || !strings.HasPrefix(d.Path, "documents[") {
		t.Errorf("it says %+v", first.Difference)
	}
	if got.Status != ledger.MessageDone || !got.Ended || got.Same() {
		t.Errorf("status %s: %s", got.Status, got.Problem)
	}
}

func TestOnlyFinishedAnswersAreReplayed(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(context.Context, string, string) error {
		return domain.Errorf(domain.Forbidden, "The budget is used up.")
	}}})
	m := a.Answered(t, "", "Who taught arithmetic?")
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	for id, kind := range map[domain.RunID]domain.Kind{m.Run: domain.Conflict, docs[0].Run: domain.Invalid, "r0": domain.NotFound} {
		if _, err := a.Questions.StartReplay(t.Context(), testkit.Workspace, id, nil); domain.KindOf(err) != kind {
			t.Errorf("%s: %v", id, err)
		}
	}
}
