package questions_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
)

// again asks a turn again and waits for the answer.
func again(t *testing.T, a *testkit.App, e questions.Edited) ledger.Answer {
	t.Helper()
	a.Clock.Advance(time.Second)
	e.Workspace = testkit.Workspace
	b, err := a.Questions.AskAgain(t.Context(), e)
	testkit.Must(t, err)
	a.Watch(t, b.Run)
	b, err = a.Ledger.Branch(t.Context(), testkit.Workspace, b.Branch)
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

	b := again(t, a, questions.Edited{Message: first.Message, Question: " What did the  foundry cast?"})
	if b.Question != "What did the foundry cast?" || b.Status != ledger.MessageDone || b.Text != "The Carrow Foundry cast the bells of Osterby. [1]" || questions.BranchTitle(b) != "Edited" {
		t.Fatalf("got %+v", b)
	}
	if m, err := a.Ledger.Message(t.Context(), testkit.Workspace, first.Message); err != nil || m.Question != first.Question || m.Text != first.Text {
		t.Errorf("the message has changed: %+v, error %v", m, err)
	}

	a.Clock.Advance(time.Second)
	third := a.Answered(t, first.Conversation, "When did it burn?")
	if third.Follows != b.Run {
		t.Errorf("the next question follows %s, want the edited answer's run %s", third.Follows, b.Run)
	}
	if diff := cmp.Diff([]answer.Exchange{{Question: b.Question, Answer: b.Text}}, roles.History()); diff != "" {
		t.Errorf("history of the next question (-want +got)\n%s", diff)
	}
	a.Clock.Advance(time.Second)
	fourth, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Conversation: first.Conversation, Text: "And then?", Follows: first.Run})
	testkit.Must(t, err)
	a.Watch(t, fourth.Run)
	if fourth.Follows != second.Run {
		t.Errorf("a question after the answer as asked follows %s, want the end of that line %s", fourth.Follows, second.Run)
	}
	want := []answer.Exchange{{Question: first.Question, Answer: first.Text}, {Question: second.Question, Answer: second.Text}}
	if diff := cmp.Diff(want, roles.History()); diff != "" {
		t.Errorf("history in the other line (-want +got)\n%s", diff)
	}

	edited := again(t, a, questions.Edited{Message: third.Message, Question: "What burned?"})
	if edited.Status != ledger.MessageDone {
		t.Fatalf("got %+v", edited)
	}
	if diff := cmp.Diff([]answer.Exchange{{Question: b.Question, Answer: b.Text}}, roles.History()); diff != "" {
		t.Errorf("history of an edited follow-up (-want +got)\n%s", diff)
	}
}

// TestAskedAgainInTheSameWords expects a run that does not take recorded answers.
func TestAskedAgainInTheSameWords(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	salt := func(b ledger.Answer) string {
		t.Helper()
		encoded, err := a.Answer.EncodedAt(t.Context(), string(b.Run), nil, 1)
		testkit.Must(t, err)
		var s answer.State
		testkit.Must(t, json.Unmarshal(encoded, &s))
		return s.Salt
	}
	same := again(t, a, questions.Edited{Message: m.Message, Question: m.Question})
	if same.Text != m.Text || questions.BranchTitle(same) != "Asked again" || salt(same) != string(same.Run) {
		t.Errorf("got %q, called %q, with salt %q", same.Text, questions.BranchTitle(same), salt(same))
	}
	if other := again(t, a, questions.Edited{Message: m.Message, Question: "What burned?"}); salt(other) != "" {
		t.Errorf("another question has the salt %q", salt(other))
	}
}

func TestAQuestionAskedAgainWithinAnotherScope(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	foundryOnly, err := a.Questions.Scope(t.Context(), testkit.Workspace, []string{"doc:foundry.txt"})
	testkit.Must(t, err)
	b := again(t, a, questions.Edited{Message: m.Message, Question: m.Question, Scope: foundryOnly})
	if len(b.Citations) != 0 || questions.BranchTitle(b) != "Edited" || len(b.Scope.Documents) != 1 {
		t.Errorf("got %+v", b)
	}
	if back := again(t, a, questions.Edited{Message: m.Message, Question: m.Question}); back.Text != m.Text || !back.Scope.All() {
		t.Errorf("within everything: %+v", back)
	}
	fork := runs(t, a, questions.Variation{Parent: b.Run, Step: 1, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{MaxLoops: new(0)}}})
	if fork.Question != b.Question || len(fork.Scope.Documents) != 1 {
		t.Errorf("a fork of it asks %q within %+v", fork.Question, fork.Scope)
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", "Who taught arithmetic?")
	for _, tt := range []struct {
		e    questions.Edited
		kind domain.Kind
	}{
		{questions.Edited{Message: m.Message, Question: " \n"}, domain.Invalid},
		{questions.Edited{Message: m.Message, Question: strings.Repeat("ä", questions.MaxQuestion+1)}, domain.TooLarge},
		{questions.Edited{Message: m.Message, Question: "Who?", Scope: domain.Scope{Tags: []string{"nothing"}}}, domain.Invalid},
		{questions.Edited{Message: "m0", Question: "Who?"}, domain.NotFound},
		{questions.Edited{Workspace: "another", Message: m.Message, Question: "Who?"}, domain.NotFound},
	} {
		if tt.e.Workspace == "" {
			tt.e.Workspace = testkit.Workspace
		}
		if _, err := a.Questions.AskAgain(t.Context(), tt.e); domain.KindOf(err) != tt.kind {
			t.Errorf("%.20q of %s: got %v", tt.e.Question, tt.e.Message, err)
		}
	}
	if all, err := a.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message); err != nil || len(all) != 0 {
		t.Errorf("%d branches are left, error %v", len(all), err)
	}
}
