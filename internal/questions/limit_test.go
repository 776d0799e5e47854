package questions_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
)

func TestTooManyQuestionsAreRefused(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	a.Questions.MaxWaiting = 2
	ask := func(person string) error {
		_, err := a.Questions.Start(domain.WithPerson(t.Context(), person), questions.Question{Workspace: testkit.Workspace, Text: "Who?"})
		return err
	}
	for _, person := range []string{"ada", "ada", "bea"} {
		testkit.Must(t, ask(person))
	}
	err := ask("ada")
	if domain.KindOf(err) != domain.TooMany || !strings.Contains(err.Error(), "2 of your questions") || domain.RetryAfter(err) == 0 {
		t.Errorf("the third question of a person: %v", err)
	}
	testkit.Must(t, ask("bea"))
	if all, _, err := a.Ledger.Conversations(t.Context(), testkit.Workspace, 10, 0); err != nil || len(all) != 4 {
		t.Errorf("%d conversations, error %v: the refused question began one", len(all), err)
	}
}

// TestAnAnswerThatTakesTooLongEnds has a writer that never goes on. What it has
// written stays.
func TestAnAnswerThatTakesTooLongEnds(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(ctx context.Context, _, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	}}})
	a.Questions.Timeout = 20 * time.Millisecond
	m := a.Answered(t, "", "Who taught arithmetic?")
	if m.Status != ledger.MessageFailed || !strings.Contains(m.Problem, "QUESTION_TIMEOUT") || !strings.Contains(m.Problem, "20ms") {
		t.Errorf("status %s, problem %q", m.Status, m.Problem)
	}
	if r, err := a.Queue.Get(t.Context(), testkit.Workspace, m.Run); err != nil || r.Attempt != 1 {
		t.Errorf("attempt %d, error %v: it is not to be tried again", r.Attempt, err)
	}
}
