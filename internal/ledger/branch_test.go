package ledger_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// addBranch stores a branch whose run is in the queue.
func (b Bench) addBranch(t *testing.T, branch ledger.Branch) {
	t.Helper()
	b.run(t, branch.Run, "branch", string(branch.ID))
	must(t, b.Ledger.AddBranchTx(t.Context(), branch, nothing))
}

func branches(t *testing.T, b Bench) {
	ctx := t.Context()
	b.conversation(t, "k1")
	must(t, b.addMessage(ctx, ledger.Message{ID: "m1", Workspace: ws, Conversation: "k1", Question: "Who?", Answer: "Ada.", Run: "r1"}))
	must(t, b.addMessage(ctx, ledger.Message{ID: "m2", Workspace: ws, Conversation: "k1", Run: "r2"}))
	fork := ledger.Branch{
		ID: "b2", Workspace: ws, Message: "m1", Run: "r3", Parent: "r1", Step: 6, Super: 4, Purpose: "fork", Changes: json.RawMessage(`{"question":"Who else?"}`),
		Question: "Who else?", Scope: domain.Scope{Tags: []string{"engines"}}, Person: "ada", Status: ledger.MessageWaiting, CreatedAt: b.Clock.Now(),
	}
	b.addBranch(t, fork)
	wantKind(t, b.Ledger.AddBranchTx(ctx, fork, nothing), domain.Conflict)
	lost := fork
	lost.ID, lost.Message = "b9", "gone"
	wantKind(t, b.Ledger.AddBranchTx(ctx, lost, nothing), domain.NotFound)
	b.Clock.Advance(time.Second)
	begun := ledger.Branch{ID: "b1", Workspace: ws, Message: "m1", Run: "r4", Purpose: "method", Changes: json.RawMessage(`{}`), CreatedAt: b.Clock.Now()}
	b.addBranch(t, begun)
	other := ledger.Branch{ID: "b3", Workspace: ws, Message: "m2", Run: "r5", Changes: json.RawMessage(`{}`), CreatedAt: b.Clock.Now()}
	b.addBranch(t, other)

	answered := func(b *ledger.Branch) {
		b.Status, b.Problem, b.Answer = ledger.MessageDone, "p", "Babbage [1]."
		b.Sentences = []domain.Sentence{{Text: "Babbage.", Citations: []int{1}, Supported: true}}
		b.Citations = []domain.Citation{{N: 1, Document: "one.txt", DocumentID: "d1", Chunk: "c1", Span: domain.Span{Start: 1, End: 4}, Text: "abb"}}
		b.Figures = []domain.Figure{{ID: "f", Status: domain.FigureFailed, Problem: "none"}}
		b.ID, b.Workspace, b.Message, b.Run, b.CreatedAt = "other", "other", "other", "other", time.Time{}
		b.Question, b.Scope = "other", domain.Scope{}
	}
	want := fork
	answered(&want)
	want.ID, want.Workspace, want.Message, want.Run, want.CreatedAt = fork.ID, ws, fork.Message, fork.Run, fork.CreatedAt
	want.Question, want.Scope = fork.Question, fork.Scope
	got, err := b.Ledger.UpdateBranch(ctx, ws, "b2", answered)
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
	if diff := cmp.Diff([]ledger.Branch{want, begun}, all); diff != "" {
		t.Errorf("of a message: -want +got\n%s", diff)
	}
	for run, n := range map[domain.RunID]int{"r1": 2, "r4": 2, "r5": 1, "r9": 0} {
		if beside, err := b.Ledger.BranchesBeside(ctx, ws, run); err != nil || len(beside) != n {
			t.Errorf("beside run %s: %+v, error %v, want %d", run, beside, err, n)
		}
	}
	all, err = b.Ledger.BranchesOf(ctx, ws, "m1", "m2")
	must(t, err)
	if len(all) != 3 {
		t.Errorf("of two messages: %+v", all)
	}
	some, err := b.Ledger.BranchesByID(ctx, ws, []domain.BranchID{"b3", "gone"})
	must(t, err)
	if diff := cmp.Diff([]ledger.Branch{other}, some); diff != "" {
		t.Errorf("by id: -want +got\n%s", diff)
	}
	if m, err := b.Ledger.Message(ctx, ws, "m1"); err != nil || m.Answer != "Ada." {
		t.Errorf("the message has the answer %q, error %v", m.Answer, err)
	}
	for _, none := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := b.Ledger.Branch(ctx, "another", "b2"); return err },
		func(ctx context.Context) error { return b.Ledger.DeleteBranch(ctx, "another", "b2") },
		func(ctx context.Context) error {
			_, err := b.Ledger.UpdateBranch(ctx, ws, "gone", func(*ledger.Branch) { t.Error("the update was called for a missing branch") })
			return err
		},
	} {
		wantKind(t, none(ctx), domain.NotFound)
	}
	b.deletesBranches(t, fork)
}

// deletesBranches deletes a branch from which another begins.
func (b Bench) deletesBranches(t *testing.T, fork ledger.Branch) {
	t.Helper()
	ctx := t.Context()
	b.addBranch(t, ledger.Branch{ID: "b4", Workspace: ws, Message: "m1", Run: "r6", Parent: fork.Run, Changes: json.RawMessage(`{}`)})
	for _, run := range []domain.RunID{"r3", "r5", "r6"} {
		must(t, b.Ledger.SaveModelCall(ctx, string(run), domain.CallOwner{Workspace: ws, Run: run}, answer("Ada")))
		b.event(t, run, 1, `{}`)
		b.thread(t, run)
	}
	must(t, b.Ledger.DeleteBranch(ctx, ws, fork.ID))
	all, err := b.Ledger.BranchesOf(ctx, ws, "m1", "m2")
	must(t, err)
	var left []domain.BranchID
	for _, branch := range all {
		left = append(left, branch.ID)
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
	must(t, b.Ledger.AddMessageTx(ctx, nil, ledger.Message{ID: "m1", Workspace: ws, Conversation: "k1", Run: "r1"}, func(*sql.Tx) error { return nil }))
	b.run(t, "r1", "answer", "m1")
	b.event(t, "r1", 1, `{"document_id":"`+string(d.ID)+`"}`)
	b.addBranch(t, ledger.Branch{ID: "b1", Workspace: ws, Message: "m1", Run: "r2", Parent: "r1", Step: 1, Changes: json.RawMessage(`{}`), Answer: Marker})
	b.addBranch(t, ledger.Branch{ID: "b2", Workspace: ws, Message: "m1", Run: "r3", Changes: json.RawMessage(`{}`), Answer: "from the start"})
	must(t, b.Ledger.SaveModelCall(ctx, "call", domain.CallOwner{Workspace: ws, Run: "r2"}, answer(Marker)))
	b.event(t, "r2", 1, `{"said":"`+Marker+`"}`)
	b.thread(t, "r2")
	for _, run := range []domain.RunID{"r1", "r2", "r3"} {
		must(t, b.Ledger.SaveFeedback(ctx, ws, ledger.Feedback{Message: "m1", Run: run}))
	}
	_, err = b.Ledger.DeleteDocument(ctx, ws, d.ID)
	must(t, err)
	if said, err := b.Ledger.FeedbackOf(ctx, ws, "", "m1"); err != nil || len(said) != 2 || said["r2"].Run != "" {
		t.Errorf("of what was said of the answers is left %+v, error %v", said, err)
	}
	all, err := b.Ledger.BranchesOf(ctx, ws, "m1")
	must(t, err)
	if len(all) != 1 || all[0].ID != "b2" {
		t.Errorf("left: %+v, want only the one that has read nothing", all)
	}
	if got := b.leavings(t, "r2"); got != 1 {
		t.Errorf("%d rows are left of the branch's run, want only its own", got)
	}

	// The other has found the document too, but records it only afterwards.
	b.event(t, "r3", 1, `{"document_id":"`+string(d.ID)+`"}`)
	got, err := b.Ledger.UpdateBranch(ctx, ws, "b2", func(b *ledger.Branch) { b.Status, b.Answer = ledger.MessageDone, Marker })
	must(t, err)
	if got.Answer != "" || got.Status != ledger.MessageDone {
		t.Errorf("its late answer is kept: %+v", got)
	}
}
