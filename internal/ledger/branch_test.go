package ledger_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// updateMessage changes the answer to a message as it was asked.
func (b Bench) updateMessage(ctx context.Context, id domain.MessageID, f func(*ledger.Answer)) (ledger.Answer, error) {
	a, err := b.Ledger.Message(ctx, ws, id)
	if err != nil {
		return a, err
	}
	return b.Ledger.UpdateAnswer(ctx, ws, a.Run, f)
}

// updateBranch changes the answer of a branch.
func (b Bench) updateBranch(ctx context.Context, id domain.BranchID, f func(*ledger.Answer)) (ledger.Answer, error) {
	a, err := b.Ledger.Branch(ctx, ws, id)
	if err != nil {
		return a, err
	}
	return b.Ledger.UpdateAnswer(ctx, ws, a.Run, f)
}

// addBranch stores a branch whose run is in the queue.
func (b Bench) addBranch(t *testing.T, branch ledger.Answer) {
	t.Helper()
	b.run(t, branch.Run, "branch", string(branch.Branch))
	must(t, b.Ledger.AddAnswerTx(t.Context(), nil, branch, nothing))
}

func branches(t *testing.T, b Bench) {
	ctx := t.Context()
	b.conversation(t, "k1")
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Question: "Who?", Text: "Ada.", Run: "r1"}))
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m2", Workspace: ws, Conversation: "k1", Run: "r2"}))
	fork := ledger.Answer{
		Branch: "b2", Workspace: ws, Message: "m1", Run: "r3", Parent: "r1", Step: 6, Super: 4, Purpose: "fork", Changes: json.RawMessage(`{"question":"Who else?"}`),
		Question: "Who else?", Scope: domain.Scope{Tags: []string{"engines"}}, Person: "ada", Status: ledger.MessageWaiting, CreatedAt: b.Clock.Now(),
	}
	b.addBranch(t, fork)
	fork.Conversation = "k1"
	wantKind(t, b.Ledger.AddAnswerTx(ctx, nil, fork, nothing), domain.Conflict)
	lost := fork
	lost.Branch, lost.Message, lost.Run = "b9", "gone", "r9"
	wantKind(t, b.Ledger.AddAnswerTx(ctx, nil, lost, nothing), domain.NotFound)
	b.Clock.Advance(time.Second)
	begun := ledger.Answer{Branch: "b1", Workspace: ws, Message: "m1", Run: "r4", Purpose: "method", Changes: json.RawMessage(`{}`), CreatedAt: b.Clock.Now()}
	b.addBranch(t, begun)
	begun.Conversation = "k1"
	other := ledger.Answer{Branch: "b3", Workspace: ws, Message: "m2", Run: "r5", Changes: json.RawMessage(`{}`), CreatedAt: b.Clock.Now()}
	b.addBranch(t, other)
	other.Conversation = "k1"

	answered := func(b *ledger.Answer) {
		b.Status, b.Problem, b.Text = ledger.MessageDone, "p", "Babbage [1]."
		b.Sentences = []domain.Sentence{{Text: "Babbage.", Citations: []int{1}, Supported: true}}
		b.Citations = []domain.Citation{{N: 1, Document: "one.txt", DocumentID: "d1", Chunk: "c1", Span: domain.Span{Start: 1, End: 4}, Text: "abb"}}
		b.Figures = []domain.Figure{{ID: "f", Status: domain.FigureFailed, Problem: "none"}}
		b.Branch, b.Workspace, b.Message, b.Run, b.CreatedAt = "other", "other", "other", "other", time.Time{}
		b.Question, b.Scope = "other", domain.Scope{}
	}
	want := fork
	answered(&want)
	want.Branch, want.Workspace, want.Message, want.Run, want.CreatedAt = fork.Branch, ws, fork.Message, fork.Run, fork.CreatedAt
	want.Question, want.Scope = fork.Question, fork.Scope
	want.Citations[0].Text = "" // of a document that is not there
	got, err := b.updateBranch(ctx, "b2", answered)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("updated: -want +got\n%s", diff)
	}
	got, err = b.Ledger.Branch(ctx, ws, "b2")
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back: -want +got\n%s", diff)
	}
	all, err := b.Ledger.BranchesOf(ctx, ws, "m1")
	must(t, err)
	if diff := cmp.Diff([]ledger.Answer{want, begun}, all); diff != "" {
		t.Errorf("of a message: -want +got\n%s", diff)
	}
	for run, n := range map[domain.RunID]int{"r1": 3, "r4": 3, "r5": 2, "r9": 0} {
		if beside, err := b.Ledger.AnswersBeside(ctx, ws, run); err != nil || len(beside) != n || n > 0 && beside[0].Branch != "" {
			t.Errorf("beside run %s: %+v, error %v, want %d", run, beside, err, n)
		}
	}
	all, err = b.Ledger.BranchesOf(ctx, ws, "m1", "m2")
	must(t, err)
	if len(all) != 3 {
		t.Errorf("of two messages: %+v", all)
	}
	if from, err := b.Ledger.BranchesFrom(ctx, ws, "r1"); err != nil || len(from) != 1 || from[0].Branch != "b2" {
		t.Errorf("from steps of run r1: %+v, error %v", from, err)
	}
	b.wantAsked(t, ledger.ByBranch, []string{"b3", "b2", "gone"}, "Who else? of k1, m1, b2", " of k1, m2, b3")
	b.wantAsked(t, ledger.ByMessage, []string{"m1", "gone"}, "Who? of k1, m1")
	if m, err := b.Ledger.Message(ctx, ws, "m1"); err != nil || m.Text != "Ada." {
		t.Errorf("the message has the answer %q, error %v", m.Text, err)
	}
	for _, none := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := b.Ledger.Branch(ctx, "another", "b2"); return err },
		func(ctx context.Context) error { return b.Ledger.DeleteBranch(ctx, "another", "b2") },
		func(ctx context.Context) error {
			_, err := b.updateBranch(ctx, "gone", func(*ledger.Answer) { t.Error("the update was called for a missing branch") })
			return err
		},
	} {
		wantKind(t, none(ctx), domain.NotFound)
	}
	b.deletesBranches(t, fork)
}

// wantAsked expects what is asked with some ids.
func (b Bench) wantAsked(t *testing.T, by ledger.AnswerKey, ids []string, want ...string) {
	t.Helper()
	asked, err := b.Ledger.Asked(t.Context(), ws, by, ids)
	must(t, err)
	var got []string
	for _, a := range asked {
		got = append(got, strings.TrimRight(fmt.Sprintf("%s of %s, %s, %s", a.Question, a.Conversation, a.Message, a.Branch), ", "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", by, diff)
	}
	if elsewhere, err := b.Ledger.Asked(t.Context(), "another", by, ids); err != nil || len(elsewhere) > 0 {
		t.Errorf("%s in another workspace: %+v, error %v", by, elsewhere, err)
	}
}

// deletesBranches deletes a branch from which another begins.
func (b Bench) deletesBranches(t *testing.T, fork ledger.Answer) {
	t.Helper()
	ctx := t.Context()
	b.addBranch(t, ledger.Answer{Branch: "b4", Workspace: ws, Message: "m1", Run: "r6", Parent: fork.Run, Changes: json.RawMessage(`{}`)})
	for _, run := range []domain.RunID{"r3", "r5", "r6"} {
		must(t, b.Ledger.SaveModelCall(ctx, string(run), domain.CallOwner{Workspace: ws, Run: run}, answer("Ada")))
		b.event(t, run, 1, `{}`)
		b.thread(t, run)
	}
	must(t, b.Ledger.DeleteBranch(ctx, ws, fork.Branch))
	all, err := b.Ledger.BranchesOf(ctx, ws, "m1", "m2")
	must(t, err)
	var left []domain.BranchID
	for _, branch := range all {
		left = append(left, branch.Branch)
	}
	if diff := cmp.Diff([]domain.BranchID{"b1", "b3"}, left); diff != "" {
		t.Errorf("left: -want +got\n%s", diff)
	}
	for run, want := range map[domain.RunID]int{"r3": 0, "r5": 1, "r6": 0} {
		if got := b.leavings(t, run); got != 4*want {
			t.Errorf("run %s: %d of its row, events, thread and calls are left, want %d", run, got, 4*want)
		}
	}
}

// thread stores an empty thread of a run.
func (b Bench) thread(t *testing.T, run domain.RunID) {
	t.Helper()
	_, err := b.Writer.ExecContext(t.Context(), `INSERT INTO threads (id, token, touched_at) VALUES (?, 1, 0)`, run)
	must(t, err)
}

// leavings counts what the tables hold of a run.
func (b Bench) leavings(t *testing.T, run domain.RunID) (n int) {
	t.Helper()
	must(t, b.Writer.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM runs WHERE id = ?) + (SELECT COUNT(*) FROM events WHERE run_id = ?)
		+ (SELECT COUNT(*) FROM threads WHERE id = ?) + (SELECT COUNT(*) FROM model_calls WHERE run_id = ?)`, run, run, run, run).Scan(&n))
	return n
}

// branchesOfDeleted deletes a document that a message's run has read: the
// branches of that run go, also one that names it in no event of its own.
func branchesOfDeleted(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "Ada met Babbage.")
	_, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	b.conversation(t, "k1")
	must(t, b.Ledger.AddAnswerTx(ctx, nil, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Run: "r1"}, func(*sql.Tx) error { return nil }))
	b.run(t, "r1", "answer", "m1")
	b.event(t, "r1", 1, `{"document_id":"`+string(d.ID)+`"}`)
	b.addBranch(t, ledger.Answer{Branch: "b1", Workspace: ws, Message: "m1", Run: "r2", Parent: "r1", Step: 1, Changes: json.RawMessage(`{}`), Text: Marker})
	b.addBranch(t, ledger.Answer{Branch: "b2", Workspace: ws, Message: "m1", Run: "r3", Changes: json.RawMessage(`{}`), Text: "from the start"})
	must(t, b.Ledger.SaveModelCall(ctx, "call", domain.CallOwner{Workspace: ws, Run: "r2"}, answer(Marker)))
	b.event(t, "r2", 1, `{"said":"`+Marker+`"}`)
	b.thread(t, "r2")
	for _, run := range []domain.RunID{"r1", "r2", "r3"} {
		must(t, b.Ledger.SaveFeedback(ctx, ws, ledger.Feedback{Run: run}))
	}
	_, err = b.Ledger.DeleteDocument(ctx, ws, d.ID)
	must(t, err)
	if said, err := b.Ledger.FeedbackOf(ctx, ws, "", "r1", "r2", "r3"); err != nil || len(said) != 2 || said["r2"].Run != "" {
		t.Errorf("of what was said of the answers is left %+v, error %v", said, err)
	}
	all, err := b.Ledger.BranchesOf(ctx, ws, "m1")
	must(t, err)
	if len(all) != 1 || all[0].Branch != "b2" {
		t.Errorf("left: %+v, want only the one that has read nothing", all)
	}
	if got := b.leavings(t, "r2"); got != 1 {
		t.Errorf("%d rows are left of the branch's run, want only its own", got)
	}

	// The other has found the document too, but records it only afterwards.
	b.event(t, "r3", 1, `{"document_id":"`+string(d.ID)+`"}`)
	got, err := b.updateBranch(ctx, "b2", func(b *ledger.Answer) { b.Status, b.Text = ledger.MessageDone, Marker })
	must(t, err)
	if got.Text != "" || got.Status != ledger.MessageDone {
		t.Errorf("its late answer is kept: %+v", got)
	}
}
