package branches_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/branches"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
)

// again asks a turn again and waits for the answer.
func again(t *testing.T, a *testkit.App, e branches.Edited) ledger.Branch {
	t.Helper()
	a.Clock.Advance(time.Second)
	e.Workspace = testkit.Workspace
	b, err := a.Branches.AskAgain(t.Context(), e)
	testkit.Must(t, err)
	a.Watch(t, b.Run)
	b, err = a.Ledger.Branch(t.Context(), testkit.Workspace, b.ID)
	testkit.Must(t, err)
	return b
}

// TestAnEditedQuestion edits the first of two questions: both stay, the edited one has
// its own answer, and what is asked after it sees it and not what it replaced.
func TestAnEditedQuestion(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	first := a.Answered(t, "", "Who taught arithmetic?")
	a.Clock.Advance(time.Second)
	second := a.Answered(t, first.Conversation, "Where did she go?")

	b := again(t, a, branches.Edited{Message: first.ID, Question: " What did the  foundry cast?"})
	if b.Question != "What did the foundry cast?" || b.Status != ledger.MessageDone || b.Answer != "The Carrow Foundry cast the bells of Osterby. [1]" || branches.Title(b) != "Edited" {
		t.Fatalf("got %+v", b)
	}
	if m, err := a.Ledger.Message(t.Context(), testkit.Workspace, first.ID); err != nil || m.Question != first.Question || m.Answer != first.Answer {
		t.Errorf("the message has changed: %+v, error %v", m, err)
	}

	a.Clock.Advance(time.Second)
	third := a.Answered(t, first.Conversation, "When did it burn?")
	if third.Follows != b.Run {
		t.Errorf("the next question follows %s, want the edited answer's run %s", third.Follows, b.Run)
	}
	if diff := cmp.Diff([]answer.Exchange{{Question: b.Question, Answer: b.Answer}}, roles.History()); diff != "" {
		t.Errorf("history of the next question (-want +got)\n%s", diff)
	}
	a.Clock.Advance(time.Second)
	fourth, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Conversation: first.Conversation, Text: "And then?", Follows: first.Run})
	testkit.Must(t, err)
	a.Watch(t, fourth.Run)
	if fourth.Follows != second.Run {
		t.Errorf("a question after the answer as asked follows %s, want the end of that line %s", fourth.Follows, second.Run)
	}
	want := []answer.Exchange{{Question: first.Question, Answer: first.Answer}, {Question: second.Question, Answer: second.Answer}}
	if diff := cmp.Diff(want, roles.History()); diff != "" {
		t.Errorf("history in the other line (-want +got)\n%s", diff)
	}

	edited := again(t, a, branches.Edited{Message: third.ID, Question: "What burned?"})
	if edited.Status != ledger.MessageDone {
		t.Fatalf("got %+v", edited)
	}
	if diff := cmp.Diff([]answer.Exchange{{Question: b.Question, Answer: b.Answer}}, roles.History()); diff != "" {
		t.Errorf("history of an edited follow-up (-want +got)\n%s", diff)
	}
}

// TestAskedAgainInTheSameWords expects a run that does not take recorded answers.
func TestAskedAgainInTheSameWords(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	salt := func(b ledger.Branch) string {
		t.Helper()
		encoded, err := a.Answer.EncodedAt(t.Context(), string(b.Run), nil, 1)
		testkit.Must(t, err)
		var s answer.State
		testkit.Must(t, json.Unmarshal(encoded, &s))
		return s.Salt
	}
	same := again(t, a, branches.Edited{Message: m.ID, Question: m.Question})
	if same.Answer != m.Answer || branches.Title(same) != "Asked again" || salt(same) != string(same.Run) {
		t.Errorf("got %q, called %q, with salt %q", same.Answer, branches.Title(same), salt(same))
	}
	if other := again(t, a, branches.Edited{Message: m.ID, Question: "What burned?"}); salt(other) != "" {
		t.Errorf("another question has the salt %q", salt(other))
	}
}

func TestAQuestionAskedAgainWithinAnotherScope(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	foundryOnly, err := a.Questions.Scope(t.Context(), testkit.Workspace, []string{"doc:foundry.txt"})
	testkit.Must(t, err)
	b := again(t, a, branches.Edited{Message: m.ID, Question: m.Question, Scope: foundryOnly})
	if len(b.Citations) != 0 || branches.Title(b) != "Edited" || len(b.Scope.Documents) != 1 {
		t.Errorf("got %+v", b)
	}
	if back := again(t, a, branches.Edited{Message: m.ID, Question: m.Question}); back.Answer != m.Answer || !back.Scope.All() {
		t.Errorf("within everything: %+v", back)
	}
	fork := runs(t, a, branches.Begin{Parent: b.Run, Step: 1, Purpose: branches.Fork, Changes: branches.Changes{Edit: answer.Edit{MaxLoops: new(0)}}})
	if fork.Question != b.Question || len(fork.Scope.Documents) != 1 {
		t.Errorf("a fork of it asks %q within %+v", fork.Question, fork.Scope)
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	for _, tt := range []struct {
		e    branches.Edited
		kind domain.Kind
	}{
		{branches.Edited{Message: m.ID, Question: " \n"}, domain.Invalid},
		{branches.Edited{Message: m.ID, Question: strings.Repeat("ä", questions.MaxQuestion+1)}, domain.TooLarge},
		{branches.Edited{Message: m.ID, Question: "Who?", Scope: domain.Scope{Tags: []string{"nothing"}}}, domain.Invalid},
		{branches.Edited{Message: "m0", Question: "Who?"}, domain.NotFound},
		{branches.Edited{Workspace: "another", Message: m.ID, Question: "Who?"}, domain.NotFound},
	} {
		if tt.e.Workspace == "" {
			tt.e.Workspace = testkit.Workspace
		}
		if _, err := a.Branches.AskAgain(t.Context(), tt.e); domain.KindOf(err) != tt.kind {
			t.Errorf("%.20q of %s: got %v", tt.e.Question, tt.e.Message, err)
		}
	}
	if all, err := a.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.ID); err != nil || len(all) != 0 {
		t.Errorf("%d branches are left, error %v", len(all), err)
	}
}
