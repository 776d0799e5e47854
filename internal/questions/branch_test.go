package questions_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit"
)

const both = "Who taught arithmetic, and what did the foundry cast?"

// after returns the number of the last moment of a run after a node.
func after(t *testing.T, a *testkit.App, run domain.RunID, node string) int {
	t.Helper()
	events, err := a.Hub.Events(t.Context(), testkit.Workspace, run, 0)
	testkit.Must(t, err)
	moments, v := trace.Moments(run, a.Answer.Topology(), events)
	for _, m := range slices.Backward(moments) {
		if slices.ContainsFunc(m.Rows, func(row int) bool { return v.Steps[row-1].Node == node && len(v.Steps[row-1].Path) == 0 }) {
			return m.N
		}
	}
	t.Fatalf("run %s has not visited %s", run, node)
	return 0
}

// found returns a passage of a document that the state at a step holds.
func found(t *testing.T, a *testkit.App, run domain.RunID, step int, document string) domain.ChunkID {
	t.Helper()
	p, err := a.Questions.At(t.Context(), testkit.Workspace, run, step)
	testkit.Must(t, err)
	for _, d := range p.State.Result().Documents {
		if d.Name == document {
			return d.Chunk
		}
	}
	t.Fatalf("the state holds no passage of %s: %+v", document, p.State.Documents)
	return ""
}

// runs carries out a branch to its end.
func runs(t *testing.T, a *testkit.App, begin questions.Variation) ledger.Answer {
	t.Helper()
	begin.Workspace = testkit.Workspace
	b, err := a.Questions.Vary(t.Context(), begin)
	testkit.Must(t, err)
	a.Watch(t, b.Run)
	b, err = a.Ledger.Branch(t.Context(), testkit.Workspace, b.Branch)
	testkit.Must(t, err)
	return b
}

func drop(c domain.ChunkID) questions.Changes {
	return questions.Changes{Edit: answer.Edit{Grades: map[domain.ChunkID]domain.Verdict{c: domain.Irrelevant}}}
}

// TestAForkBeforeWritingCallsOnlyWhatFollows flips a grade after the grading: the
// branch writes and checks, and asks nobody else.
func TestAForkBeforeWritingCallsOnlyWhatFollows(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	m := a.Answered(t, "", both)
	thread, err := a.Kinds.Named("answer").State(t.Context(), string(m.Run), nil, 2)
	testkit.Must(t, err)
	events, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	before := roles.Calls()
	if before[answer.RoleGrade] != 2 || !strings.Contains(m.Text, "Osterby") || !strings.Contains(m.Text, "Agnes") {
		t.Fatalf("the parent answers %q after %v", m.Text, before)
	}

	step := after(t, a, m.Run, answer.NodeGrade)
	b := runs(t, a, questions.Variation{Parent: m.Run, Step: step, Purpose: questions.Fork, Changes: drop(found(t, a, m.Run, step, "foundry.txt"))})
	if b.Status != ledger.MessageDone || b.Text != "Agnes Lovibond taught arithmetic at the school. [1]" || len(b.Citations) != 1 {
		t.Errorf("the branch is %s and answers %q: %s", b.Status, b.Text, b.Problem)
	}
	more := roles.Calls()
	for role, n := range before {
		more[role] -= n
	}
	want := map[string]int{answer.RoleGrade: 0, answer.RoleWrite: 1, answer.RoleSupport: 1}
	if diff := cmp.Diff(want, more); diff != "" {
		t.Errorf("the branch's calls (-want +got)\n%s", diff)
	}

	again, err := a.Ledger.Message(t.Context(), testkit.Workspace, m.Message)
	testkit.Must(t, err)
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("the turn has changed\n%s", diff)
	}
	threadAfter, err := a.Kinds.Named("answer").State(t.Context(), string(m.Run), nil, 2)
	testkit.Must(t, err)
	eventsAfter, err := a.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	if string(thread) != string(threadAfter) || !cmp.Equal(events, eventsAfter) {
		t.Error("the parent's thread or its events have changed")
	}
}

// TestABranchShowsItsSteps numbers the steps of a fork from where it begins, each
// with its state.
func TestABranchShowsItsSteps(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", both)
	step := after(t, a, m.Run, answer.NodeGrade)
	b := runs(t, a, questions.Variation{Parent: m.Run, Step: step, Purpose: questions.Fork, Changes: drop(found(t, a, m.Run, step, "foundry.txt"))})
	events, err := a.Hub.Events(t.Context(), testkit.Workspace, b.Run, 0)
	testkit.Must(t, err)
	kind := a.Kinds.Named(questions.BranchKind)
	moments, v := trace.Moments(b.Run, kind.Topology, events)
	if diff := cmp.Diff([]string{answer.NodeGenerate, answer.NodeSupport}, v.Path()); diff != "" || v.State != trace.Done || v.Resumed {
		t.Errorf("path (-want +got)\n%s\nstate %s, resumed %t", diff, v.State, v.Resumed)
	}
	for _, moment := range moments {
		fields, err := kind.Fields(t.Context(), b.Run, moment)
		if err != nil || len(fields) == 0 {
			t.Errorf("step %d has %d fields, error %v", moment.N, len(fields), err)
		}
	}
	var began answer.State
	state, err := kind.StateAt(t.Context(), b.Run, moments[0])
	testkit.Must(t, err)
	testkit.Must(t, json.Unmarshal(state, &began))
	if began.Run != b.Run || len(began.Documents) != 2 || began.Documents[0].Relevant() && began.Documents[1].Relevant() {
		t.Errorf("the branch begins with %+v", began.Documents)
	}

	// A branch can be forked itself.
	second := runs(t, a, questions.Variation{Parent: b.Run, Step: 0, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{
		Grades: map[domain.ChunkID]domain.Verdict{found(t, a, b.Run, 0, "foundry.txt"): domain.Relevant},
	}}})
	if second.Message != m.Message || second.Parent != b.Run || second.Text != m.Text {
		t.Errorf("the branch of the branch answers %q, want %q", second.Text, m.Text)
	}
}

func TestABranchFromTheStart(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	first := a.Answered(t, "", "Who taught arithmetic?")
	second := a.Answered(t, first.Conversation, "Where did she go?")
	b := runs(t, a, questions.Variation{Message: second.Message, Purpose: questions.Again})
	if b.Status != ledger.MessageDone || b.Text != second.Text || roles.Calls()[answer.RoleCondense] != 2 {
		t.Errorf("the branch answers %q, want %q, after %v", b.Text, second.Text, roles.Calls())
	}
	forked := runs(t, a, questions.Variation{Parent: second.Run, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{Question: "What did the foundry cast?"}}})
	if !strings.Contains(forked.Text, "Osterby") || roles.Calls()[answer.RoleCondense] != 3 {
		t.Errorf("the fork of step 0 answers %q after %v", forked.Text, roles.Calls())
	}
}

// TestARewriteByHand gives the wording of the next search at the first grading, of
// which nothing was relevant.
func TestARewriteByHand(t *testing.T) {
	t.Parallel()
	roles := &testkit.Roles{}
	a := open(t, testkit.Options{Roles: roles})
	m := a.Answered(t, "", "Which submarine sank in the flood?")
	before := roles.Calls()
	b := runs(t, a, questions.Variation{Parent: m.Run, Step: 2, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{Rewrite: "bells", MaxLoops: new(1)}}})
	p, err := a.Questions.At(t.Context(), testkit.Workspace, b.Run, after(t, a, b.Run, answer.NodeSupport))
	testkit.Must(t, err)
	if diff := cmp.Diff([]answer.Rewrite{{Text: "bells", How: "by hand"}}, p.State.QueryRewrites); diff != "" || p.State.Wording != "" {
		t.Errorf("rewrites (-want +got)\n%s", diff)
	}
	if calls := roles.Calls(); calls[answer.RoleRewrite] != before[answer.RoleRewrite] {
		t.Errorf("the rewriter was asked %d times, before %d", calls[answer.RoleRewrite], before[answer.RoleRewrite])
	}
	again := runs(t, a, questions.Variation{Parent: m.Run, Step: 3, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{Rewrite: "flood", MaxLoops: new(1)}}})
	p, err = a.Questions.At(t.Context(), testkit.Workspace, again.Run, 1)
	testkit.Must(t, err)
	if len(p.State.Retrieval) != 2 || len(p.State.QueryRewrites) != 1 || p.State.QueryRewrites[0].Text != "flood" {
		t.Errorf("the second search had the rewrites %+v", p.State.QueryRewrites)
	}
}

// TestAForkThatIsInterruptedGoesOn breaks off in the middle of writing. The second
// attempt goes on from the branch's own thread, also when the parent's is gone.
func TestAForkThatIsInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	var words, breakAt atomic.Int64
	var a *testkit.App
	var parent domain.RunID
	roles := &testkit.Roles{Word: func(ctx context.Context, _, _ string) error {
		if words.Add(1) != breakAt.Load() {
			return nil
		}
		return errors.Join(&llm.Error{Fault: llm.ServerFailed, Message: "The model's server failed."}, a.Threads.Delete(ctx, string(parent)))
	}}
	a = open(t, testkit.Options{Roles: roles})
	m := a.Answered(t, "", both)
	parent = m.Run
	before := roles.Calls()
	step := after(t, a, m.Run, answer.NodeGrade)
	changes := drop(found(t, a, m.Run, step, "foundry.txt"))
	breakAt.Store(words.Load() + 3)
	b := runs(t, a, questions.Variation{Parent: m.Run, Step: step, Purpose: questions.Fork, Changes: changes})
	if b.Status != ledger.MessageDone || b.Text != "Agnes Lovibond taught arithmetic at the school. [1]" {
		t.Errorf("the branch is %s and answers %q: %s", b.Status, b.Text, b.Problem)
	}
	if calls := roles.Calls(); calls[answer.RoleGrade] != before[answer.RoleGrade] || calls[answer.RoleWrite] != before[answer.RoleWrite]+2 {
		t.Errorf("calls %v after %v: want two more to write", calls, before)
	}
	_, err := a.Questions.Vary(t.Context(), questions.Variation{Workspace: testkit.Workspace, Parent: m.Run, Step: step})
	if domain.KindOf(err) != domain.NotFound || !strings.Contains(err.Error(), "no longer kept") {
		t.Errorf("a fork of a run without its thread: %v", err)
	}
}

func TestWhereNoBranchBegins(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", both)
	doc := a.Read(t, "more.txt", "More of it.\n")
	last := after(t, a, m.Run, answer.NodeSupport)
	for _, tt := range []struct {
		name  string
		begin questions.Variation
		kind  domain.Kind
		says  string
	}{
		{"unknown message", questions.Variation{Message: "m0"}, domain.NotFound, "m0"},
		{"unknown run", questions.Variation{Parent: "j0"}, domain.NotFound, "run"},
		{"step past the end", questions.Variation{Parent: m.Run, Step: last + 1}, domain.NotFound, "steps are 0 to"},
		{"negative step", questions.Variation{Parent: m.Run, Step: -1}, domain.NotFound, "steps are 0 to"},
		{"no answer", questions.Variation{Parent: doc.Run}, domain.Invalid, "Only answers have branches"},
		{"inside a node", questions.Variation{Parent: m.Run, Step: after(t, a, m.Run, answer.NodeGrade) + 1}, domain.Invalid, "inside generate"},
	} {
		tt.begin.Workspace = testkit.Workspace
		if _, err := a.Questions.Vary(t.Context(), tt.begin); domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	all, err := a.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message)
	if err != nil || len(all) != 0 {
		t.Errorf("branches %+v, error %v", all, err)
	}
	runs, err := a.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: questions.BranchKind})
	if err != nil || len(runs) != 0 {
		t.Errorf("runs %+v, error %v", runs, err)
	}
}

func TestTooManyBranchesAreRefused(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	m := a.Answered(t, "", both)
	testkit.Must(t, a.Worker.Stop(t.Context()))
	a.Questions.MaxWaiting = 1
	begin := questions.Variation{Workspace: testkit.Workspace, Message: m.Message, Purpose: questions.Again}
	b, err := a.Questions.Vary(t.Context(), begin)
	testkit.Must(t, err)
	if _, err := a.Questions.Vary(t.Context(), begin); domain.KindOf(err) != domain.TooMany {
		t.Errorf("the second is not refused: %v", err)
	}
	testkit.Must(t, a.Queue.Stop(t.Context(), testkit.Workspace, b.Run))
	a.Start(t)
	a.Watch(t, b.Run)
	if b, err = a.Ledger.Branch(t.Context(), testkit.Workspace, b.Branch); err != nil || b.Status != ledger.MessageStopped {
		t.Errorf("the branch that was stopped is %s, error %v", b.Status, err)
	}
}

// TestADeletedBranchStops deletes a branch while it is written.
func TestADeletedBranchStops(t *testing.T) {
	t.Parallel()
	var writes atomic.Bool
	writing, stopped := make(chan struct{}), make(chan struct{})
	a := open(t, testkit.Options{Roles: &testkit.Roles{Word: func(ctx context.Context, _, _ string) error {
		if !writes.Swap(false) {
			return nil
		}
		close(writing)
		<-ctx.Done()
		close(stopped)
		return ctx.Err()
	}}})
	m := a.Answered(t, "", both)
	writes.Store(true)
	b, err := a.Questions.Vary(t.Context(), questions.Variation{Workspace: testkit.Workspace, Message: m.Message, Purpose: questions.Again})
	testkit.Must(t, err)
	testkit.Within(t, time.Minute, "the first word", writing)
	testkit.Must(t, a.Questions.DeleteBranch(t.Context(), testkit.Workspace, b.Branch))
	testkit.Within(t, time.Minute, "the end of the writing", stopped)
	if _, err := a.Queue.Get(t.Context(), testkit.Workspace, b.Run); domain.KindOf(err) != domain.NotFound {
		t.Errorf("its run is left: %v", err)
	}
}
