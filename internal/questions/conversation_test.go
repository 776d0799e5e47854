package questions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
)

func TestAConversationIsRenamed(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	m := start(t, a, "", "Who taught arithmetic?")
	testkit.Must(t, a.Questions.Rename(t.Context(), testkit.Workspace, m.Conversation, "  The\nschool "))
	testkit.Must(t, a.Questions.Pin(t.Context(), testkit.Workspace, m.Conversation, true))
	if c, err := a.Ledger.Conversation(t.Context(), testkit.Workspace, m.Conversation); err != nil || c.Title != "The school" || !c.Pinned {
		t.Errorf("got %+v, error %v", c, err)
	}
	for _, tt := range []struct {
		id    domain.ConversationID
		title string
		kind  domain.Kind
	}{
		{m.Conversation, " \n", domain.Invalid}, {m.Conversation, strings.Repeat("ä", domain.MaxTitle+1), domain.TooLarge}, {"k0", "School", domain.NotFound},
	} {
		if err := a.Questions.Rename(t.Context(), testkit.Workspace, tt.id, tt.title); domain.KindOf(err) != tt.kind {
			t.Errorf("%.10q: got %v", tt.title, err)
		}
	}
	testkit.Must(t, a.Questions.Rename(t.Context(), testkit.Workspace, m.Conversation, strings.Repeat("ä", domain.MaxTitle)))
}

func TestAnswersAreJudged(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	m := start(t, a, "", "Who taught arithmetic?")
	ctx := domain.WithPerson(t.Context(), "ada")
	testkit.Must(t, a.Questions.Judge(ctx, testkit.Workspace, ledger.Feedback{Run: m.Run, Person: "bob", Reason: " names  nobody\n"}))
	all, err := a.Ledger.Feedback(t.Context(), testkit.Workspace, 0)
	if err != nil || len(all) != 1 || all[0].Person != "ada" || all[0].Good || all[0].Reason != "names nobody" {
		t.Errorf("got %+v, error %v", all, err)
	}
	if err := a.Questions.Judge(ctx, testkit.Workspace, ledger.Feedback{Run: m.Run, Reason: strings.Repeat("ä", domain.MaxReason+1)}); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("a long reason: %v", err)
	}
}

// TestAConversationIsExported expects all answers in the file, and in the text the line
// that was asked in last, in which nothing acts as a mark.
func TestAConversationIsExported(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	first := a.Answered(t, "", "Who <b>taught</b> *arithmetic*?")
	a.Clock.Advance(time.Second)
	a.Answered(t, first.Conversation, "Which submarine sank?")
	a.Clock.Advance(time.Second)
	b, err := a.Questions.AskAgain(t.Context(), questions.Edited{Workspace: testkit.Workspace, Message: first.Message, Question: "What did the foundry cast?"})
	testkit.Must(t, err)
	a.Watch(t, b.Run)
	testkit.Must(t, a.Questions.Rename(t.Context(), testkit.Workspace, first.Conversation, "1. [Bells](https://example.com)"))

	got, err := a.Questions.Export(t.Context(), testkit.Workspace, first.Conversation)
	testkit.Must(t, err)
	if len(got.Turns) != 2 || len(got.Turns[0].Answers) != 2 || got.Turns[0].Answers[0].Shown || !got.Turns[0].Answers[1].Shown || got.Turns[1].Answers[0].Shown {
		t.Fatalf("got %+v", got)
	}
	if edited := got.Turns[0].Answers[1]; edited.Branch != b.Branch || edited.Question != "What did the foundry cast?" || edited.Purpose != "edit" || len(edited.Citations) != 1 {
		t.Errorf("the edited answer is %+v", edited)
	}
	text := got.Markdown()
	for _, want := range []string{"# 1\\. \\[Bells\\](https\\://example.com)\n", "## What did the foundry cast?\n", "bells of Osterby. \\[1\\]\n", "- \\[1\\] foundry.txt: “The Carrow Foundry cast the bells of Osterby.”\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "submarine") || strings.Contains(text, "arithmetic") {
		t.Errorf("the text holds another line:\n%s", text)
	}
	if _, err := a.Questions.Export(t.Context(), "another", first.Conversation); domain.KindOf(err) != domain.NotFound {
		t.Errorf("in another workspace: %v", err)
	}
}

func TestAQuestionThatFollowsAnAnswerThatIsGone(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	m := start(t, a, "", "Who taught arithmetic?")
	_, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Conversation: m.Conversation, Text: "And then?", Follows: "r0"})
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("got %v", err)
	}
}
