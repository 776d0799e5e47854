package ledger_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func keptQuestions(t *testing.T, b Bench) {
	ctx := t.Context()
	keep := func(most, want int, questions ...ledger.KeptQuestion) {
		t.Helper()
		if added, err := b.Ledger.KeepQuestions(ctx, ws, ledger.FirstSet, most, questions...); err != nil || added != want {
			t.Errorf("added %d, error %v, want %d", added, err, want)
		}
	}
	keep(3, 2, ledger.KeptQuestion{ID: "q2", Text: "Who?", Sources: []string{"a.txt"}}, ledger.KeptQuestion{ID: "q1", Text: "When?", Answers: []string{"1841"}, Message: "m1"},
		ledger.KeptQuestion{ID: "q3", Text: "Who?", Sources: []string{"b.txt"}})
	b.Clock.Advance(time.Second)
	keep(3, 1, ledger.KeptQuestion{ID: "q4", Text: "When?", Answers: []string{"1842"}}, ledger.KeptQuestion{ID: "q5", Text: "Where?"})
	_, err := b.Ledger.KeepQuestions(ctx, ws, ledger.FirstSet, 3, ledger.KeptQuestion{ID: "q6", Text: "Why?"})
	wantKind(t, err, domain.TooLarge)
	keep(3, 0, ledger.KeptQuestion{ID: "q6", Text: "Who?", Sources: []string{"c.txt"}})
	if added, err := b.Ledger.KeepQuestions(ctx, "another", ledger.FirstSet, 3, ledger.KeptQuestion{ID: "q1", Text: "Who?"}); err != nil || added != 1 {
		t.Errorf("in another workspace: added %d, error %v", added, err)
	}
	at := b.Clock.Now()
	first := at.Add(-time.Second)
	want := []ledger.KeptQuestion{
		{ID: "q2", Workspace: ws, Set: ledger.FirstSet, Text: "Who?", Sources: []string{"c.txt"}, CreatedAt: first},
		{ID: "q1", Workspace: ws, Set: ledger.FirstSet, Message: "m1", Text: "When?", Answers: []string{"1842"}, CreatedAt: first.Add(time.Millisecond)},
		{ID: "q5", Workspace: ws, Set: ledger.FirstSet, Text: "Where?", CreatedAt: at},
	}
	b.wantKept(t, "kept", want...)
	must(t, b.Ledger.ChangeQuestion(ctx, ws, ledger.KeptQuestion{ID: "q5", Set: ledger.FirstSet, Text: "Where to?", Answers: []string{"Osterby"}}))
	want[2].Text, want[2].Answers = "Where to?", []string{"Osterby"}
	wantKind(t, b.Ledger.ChangeQuestion(ctx, ws, ledger.KeptQuestion{ID: "q5", Set: ledger.FirstSet, Text: "Who?"}), domain.Conflict)
	b.wantKept(t, "changed", want...)

	must(t, b.Ledger.DropQuestion(ctx, ws, "q1"))
	b.wantKept(t, "one deleted", want[0], want[2])
	must(t, b.Ledger.RestoreQuestion(ctx, ws, "q1"))
	b.wantKept(t, "taken back", want...)
	must(t, b.Ledger.DropQuestion(ctx, ws, "q1"))
	keep(3, 1, ledger.KeptQuestion{ID: "q7", Text: "When?"})
	must(t, b.Ledger.RestoreQuestion(ctx, ws, "q1"))
	if all, err := b.Ledger.KeptQuestions(ctx, ws, ledger.FirstSet); err != nil || len(all) != 3 {
		t.Errorf("one with the same words is kept: %+v, error %v", all, err)
	}
	b.Clock.Advance(25 * time.Hour)
	must(t, b.Ledger.DropQuestion(ctx, ws, "q7"))
	for _, none := range []func(context.Context) error{
		func(ctx context.Context) error { return b.Ledger.RestoreQuestion(ctx, ws, "q1") }, // gone for good
		func(ctx context.Context) error { return b.Ledger.DropQuestion(ctx, ws, "q7") },
		func(ctx context.Context) error { return b.Ledger.DropQuestion(ctx, "another", "q2") },
		func(ctx context.Context) error {
			return b.Ledger.ChangeQuestion(ctx, "another", ledger.KeptQuestion{ID: "q2", Set: ledger.FirstSet, Text: "Whose?"})
		},
	} {
		wantKind(t, none(ctx), domain.NotFound)
	}
}

func questionSets(t *testing.T, b Bench) {
	ctx := t.Context()
	b.wantSets(t, "at the beginning", "First set 0")
	if _, err := b.Ledger.KeepQuestions(ctx, ws, ledger.FirstSet, 3, ledger.KeptQuestion{ID: "q1", Text: "Who?"}); err != nil {
		t.Error(err)
	}
	must(t, b.Ledger.AddSet(ctx, ws, 3, ledger.QuestionSet{ID: "t2", Name: "Bridges"}))
	b.Clock.Advance(time.Second)
	must(t, b.Ledger.AddSet(ctx, ws, 3, ledger.QuestionSet{ID: "t3", Name: "Mills"}))
	wantKind(t, b.Ledger.AddSet(ctx, ws, 4, ledger.QuestionSet{ID: "t4", Name: "bridges"}), domain.Conflict)
	wantKind(t, b.Ledger.AddSet(ctx, ws, 3, ledger.QuestionSet{ID: "t4", Name: "Lamps"}), domain.TooLarge)
	if _, err := b.Ledger.KeepQuestions(ctx, ws, "t2", 3, ledger.KeptQuestion{ID: "q2", Text: "Who?"}, ledger.KeptQuestion{ID: "q3", Text: "When?"}); err != nil {
		t.Error(err)
	}
	b.wantSets(t, "filled", "First set 1", "Bridges 2", "Mills 0")
	must(t, b.Ledger.RenameSet(ctx, ws, ledger.FirstSet, "Foundry"))
	wantKind(t, b.Ledger.RenameSet(ctx, ws, "t3", "FOUNDRY"), domain.Conflict)
	wantKind(t, b.Ledger.ChangeQuestion(ctx, ws, ledger.KeptQuestion{ID: "q2", Set: ledger.FirstSet, Text: "Who?"}), domain.Conflict)
	must(t, b.Ledger.ChangeQuestion(ctx, ws, ledger.KeptQuestion{ID: "q3", Set: ledger.FirstSet, Text: "When?"}))
	b.wantSets(t, "renamed, and a question moved", "Foundry 2", "Bridges 1", "Mills 0")

	must(t, b.Ledger.DropSet(ctx, ws, ledger.FirstSet))
	b.wantSets(t, "the first is deleted", "Bridges 1", "Mills 0")
	_, err := b.Ledger.KeepQuestions(ctx, ws, ledger.FirstSet, 3, ledger.KeptQuestion{ID: "q4", Text: "Why?"})
	wantKind(t, err, domain.NotFound)
	must(t, b.Ledger.RestoreSet(ctx, ws, ledger.FirstSet))
	b.wantSets(t, "taken back", "Foundry 2", "Bridges 1", "Mills 0")
	must(t, b.Ledger.DropSet(ctx, ws, "t2"))
	must(t, b.Ledger.RenameSet(ctx, ws, "t3", "Bridges"))
	wantKind(t, b.Ledger.RestoreSet(ctx, ws, "t2"), domain.Conflict)
	b.Clock.Advance(25 * time.Hour)
	must(t, b.Ledger.DropSet(ctx, ws, ledger.FirstSet))
	wantKind(t, b.Ledger.DropSet(ctx, ws, "t3"), domain.Conflict) // the only one
	if all, err := b.Ledger.KeptQuestions(ctx, ws, "t2"); err != nil || len(all) != 0 {
		t.Errorf("of a set that is gone for good: %+v, error %v", all, err)
	}
	for _, none := range []error{
		b.Ledger.RestoreSet(ctx, ws, "t2"), // gone for good
		b.Ledger.DropSet(ctx, "another", "t3"),
		b.Ledger.RenameSet(ctx, "another", "t3", "Lamps"),
		b.Ledger.ChangeQuestion(ctx, ws, ledger.KeptQuestion{ID: "q1", Set: "t2", Text: "Who?"}),
	} {
		wantKind(t, none, domain.NotFound)
	}
	if sets, err := b.Ledger.QuestionSets(ctx, "another"); err != nil || len(sets) != 1 || sets[0].ID != ledger.FirstSet {
		t.Errorf("of another workspace: %+v, error %v", sets, err)
	}
}

// wantSets expects sets of questions by their names and sizes.
func (b Bench) wantSets(t *testing.T, when string, want ...string) {
	t.Helper()
	sets, err := b.Ledger.QuestionSets(t.Context(), ws)
	must(t, err)
	var got []string
	for _, s := range sets {
		got = append(got, fmt.Sprint(s.Name, " ", s.Questions))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", when, diff)
	}
}

func (b Bench) wantKept(t *testing.T, when string, want ...ledger.KeptQuestion) {
	t.Helper()
	got, err := b.Ledger.KeptQuestions(t.Context(), ws, ledger.FirstSet)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", when, diff)
	}
}

func evaluations(t *testing.T, b Bench) {
	ctx := t.Context()
	e := ledger.Evaluation{
		ID: "v1", Workspace: ws, Set: "other", Setting: json.RawMessage(`{"model":"m"}`), Facts: json.RawMessage(`{"schema":4}`), Score: json.RawMessage(`{}`), Person: "ada",
		Status: ledger.EvaluationWorking, CreatedAt: b.Clock.Now(),
	}
	open := func(n int, text string) ledger.EvaluationReply {
		return ledger.EvaluationReply{N: n, Question: "q", Text: text, Answers: []string{"a"}, Sources: []string{"b"}, Figures: json.RawMessage(`{}`)}
	}
	replies := []ledger.EvaluationReply{open(1, "Who?"), open(2, "When?")}
	must(t, b.Ledger.AddEvaluation(ctx, e, replies))
	wantKind(t, b.Ledger.AddEvaluation(ctx, e, replies), domain.Conflict)
	b.Clock.Advance(time.Second)
	later := e
	later.ID, later.CreatedAt = "v2", b.Clock.Now()
	must(t, b.Ledger.AddEvaluation(ctx, later, replies[:1]))
	if all, err := b.Ledger.Evaluations(ctx, ws, 9); err != nil || !cmp.Equal(all, []ledger.Evaluation{later, e}) {
		t.Errorf("listed %+v, error %v", all, err)
	}

	b.advances(t, "r1", 1)
	b.advances(t, "r0", 0) // the first is being asked
	must(t, b.Ledger.ScoreReply(ctx, ws, "r1", json.RawMessage(`{"ms":4}`)))
	b.settles(t, "r1", ledger.MessageDone, "Ada.")
	b.advances(t, "r2", 2)
	b.settles(t, "r2", ledger.MessageStopped, "")
	b.event(t, "r2", 1, `{}`)
	b.advances(t, "r3", 2)
	if n := b.leavings(t, "r2"); n != 0 {
		t.Errorf("the run that was stopped has left %d rows", n)
	}
	want := []ledger.EvaluationReply{open(1, "Who?"), open(2, "When?")}
	for i, run := range []domain.RunID{"r1", "r3"} {
		want[i].Workspace, want[i].Evaluation, want[i].Run = ws, "v1", run
	}
	want[1].Status = ledger.MessageWaiting
	want[0].Status, want[0].Answer, want[0].Figures = ledger.MessageDone, "Ada.", json.RawMessage(`{"ms":4}`)
	got, err := b.Ledger.EvaluationReplies(ctx, ws, "v1")
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies: -want +got\n%s", diff)
	}
	if r, err := b.Ledger.EvaluationReply(ctx, ws, "r3"); err != nil || !cmp.Equal(r, want[1]) {
		t.Errorf("of a run: %+v, error %v", r, err)
	}
	b.endsEvaluations(t, e)
}

// endsEvaluations ends and deletes the evaluation whose second question r3 asks.
func (b Bench) endsEvaluations(t *testing.T, e ledger.Evaluation) {
	t.Helper()
	ctx := t.Context()
	b.settles(t, "r3", ledger.MessageFailed, "")
	left, err := b.Ledger.AdvanceEvaluation(ctx, ws, e.ID, "r4", func(*sql.Tx, ledger.EvaluationReply) error {
		t.Error("a run was added although nothing is left")
		return nil
	})
	if left || err != nil {
		t.Errorf("left %v, error %v", left, err)
	}
	done, err := b.Ledger.UpdateEvaluation(ctx, ws, e.ID, func(e *ledger.Evaluation, replies []ledger.EvaluationReply) error {
		e.Status, e.Score, e.FinishedAt = ledger.EvaluationDone, json.RawMessage(`{"right":1}`), b.Clock.Now()
		e.ID, e.Set, e.Setting = "other", "none", nil
		replies[1].ByHand, replies[1].Answer = "half", "changed"
		return nil
	})
	must(t, err)
	e.Status, e.Score, e.FinishedAt = ledger.EvaluationDone, json.RawMessage(`{"right":1}`), b.Clock.Now()
	if diff := cmp.Diff(e, done); diff != "" {
		t.Errorf("ended: -want +got\n%s", diff)
	}
	if replies, err := b.Ledger.EvaluationReplies(ctx, ws, e.ID); err != nil || replies[0].ByHand != "" || replies[1].ByHand != "half" || replies[1].Answer != "" {
		t.Errorf("judged by hand: %+v, error %v", replies, err)
	}
	_, err = b.Ledger.UpdateEvaluation(ctx, ws, e.ID, func(e *ledger.Evaluation, replies []ledger.EvaluationReply) error {
		replies[0].ByHand, e.Score = "wrong", nil
		return domain.Errorf(domain.Conflict, "no")
	})
	wantKind(t, err, domain.Conflict)
	if replies, err := b.Ledger.EvaluationReplies(ctx, ws, e.ID); err != nil || replies[0].ByHand != "" {
		t.Errorf("after an update that failed: %+v, error %v", replies, err)
	}
	if got, err := b.Ledger.Evaluation(ctx, ws, e.ID); err != nil || !cmp.Equal(got, e) {
		t.Errorf("read back %+v, error %v", got, err)
	}
	if left, err := b.Ledger.AdvanceEvaluation(ctx, ws, e.ID, "r5", nil); !left || err != nil {
		t.Errorf("one that has ended: left %v, error %v", left, err)
	}
	must(t, b.Ledger.DeleteEvaluation(ctx, ws, e.ID))
	for _, run := range []domain.RunID{"r1", "r3"} {
		if n := b.leavings(t, run); n != 0 {
			t.Errorf("run %s has left %d rows", run, n)
		}
	}
	for _, none := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := b.Ledger.Evaluation(ctx, ws, e.ID); return err },
		func(ctx context.Context) error { _, err := b.Ledger.EvaluationReply(ctx, ws, "r1"); return err },
		func(ctx context.Context) error { return b.Ledger.DeleteEvaluation(ctx, "another", "v2") },
		func(ctx context.Context) error {
			_, err := b.Ledger.UpdateEvaluation(ctx, "another", "v2", func(*ledger.Evaluation, []ledger.EvaluationReply) error {
				t.Error("the update was called in another workspace")
				return nil
			})
			return err
		},
		func(ctx context.Context) error {
			_, err := b.Ledger.AdvanceEvaluation(ctx, "another", "v2", "r9", nil)
			return err
		},
	} {
		wantKind(t, none(ctx), domain.NotFound)
	}
}

// settles ends the run of a question of an evaluation.
func (b Bench) settles(t *testing.T, run domain.RunID, status ledger.MessageStatus, text string) {
	t.Helper()
	_, err := b.Ledger.UpdateAnswer(t.Context(), ws, run, func(a *ledger.Answer) { a.Status, a.Text = status, text })
	must(t, err)
}

// advances lets the next question of evaluation v1 be asked by a run, and expects it
// to be the n-th, or none for 0.
func (b Bench) advances(t *testing.T, run domain.RunID, n int) {
	t.Helper()
	asked := 0
	left, err := b.Ledger.AdvanceEvaluation(t.Context(), ws, "v1", run, func(_ *sql.Tx, r ledger.EvaluationReply) error {
		asked = r.N
		return nil
	})
	if err != nil || !left || asked != n {
		t.Errorf("asked question %d, left %v, error %v, want question %d", asked, left, err, n)
	}
	if asked > 0 {
		b.run(t, run, "evaluation", "v1.1")
	}
}
