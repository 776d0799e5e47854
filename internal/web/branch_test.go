package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/views/link"
)

// graded returns the step of a run after its last grading, and a passage found there.
func (b *bench) graded(t *testing.T, run domain.RunID) (step int, chunk domain.ChunkID) {
	t.Helper()
	events, err := b.Hub.Events(t.Context(), testkit.Workspace, run, 0)
	testkit.Must(t, err)
	moments, v := trace.Moments(run, b.Answer.Topology(), events)
	for _, m := range moments {
		if slices.ContainsFunc(m.Rows, func(row int) bool { return v.Steps[row-1].Node == answer.NodeGrade }) {
			step = m.N
		}
	}
	p, err := b.Questions.At(t.Context(), testkit.Workspace, run, step)
	testkit.Must(t, err)
	return step, p.State.Documents[0].Chunk
}

// TestARunIsForkedOnItsPage flips a grade, reads the branch in the conversation and
// deletes it.
func TestARunIsForkedOnItsPage(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "What did the foundry cast?")
	step, chunk := b.graded(t, m.Run)
	form := link.Fork(m.Run, step)
	if p := b.get(t, link.RunAt(m.Run, step)); !strings.Contains(p.body, strings.ReplaceAll(form, "&", "&amp;")) || strings.Contains(p.body, "Branches of this turn") {
		t.Error("the run's page has no link to the form, or has branches already")
	}
	if said := b.get(t, link.Run(m.Run)); !strings.Contains(said.main(t), "1 sentence, supported") || !strings.Contains(said.body, `href="`+link.Methods(m.Conversation, m.Message)+`"`) {
		t.Errorf("of its answer the run's page says %s", said.main(t))
	}
	p := b.get(t, form)
	for _, want := range []string{"Run on from step 2", "grade." + string(chunk), "Steps 0 to 2 are not computed or paid for again", "generate, check_support", "No model is configured"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the form (%d) does not say %q", p.status, want)
		}
	}
	wrong := b.post(t, form, url.Values{"max_loops": {"99"}, "question": {strings.Repeat("ä", 4001)}, "grade." + string(chunk): {"perhaps"}})
	if wrong.status != 422 {
		t.Errorf("the wrong form has status %d", wrong.status)
	}
	if !strings.Contains(wrong.body, "Write relevant or irrelevant") || !strings.Contains(wrong.body, "Check 1 field first.") {
		t.Errorf("the wrong form says\n%s", wrong.main(t))
	}
	wrong = b.post(t, form, url.Values{"max_loops": {"99"}, "question": {strings.Repeat("ä", 4001)}})
	if !strings.Contains(wrong.body, "Check 2 fields first.") || !strings.Contains(wrong.body, `value="99"`) || !strings.Contains(wrong.body, `aria-describedby="fork-max_loops-says"`) {
		t.Errorf("the wrong form says\n%s", wrong.main(t))
	}
	if same := b.post(t, form, url.Values{"max_loops": {"3"}}); !strings.Contains(same.body, "Nothing has been changed") {
		t.Error("an unchanged form is taken")
	}

	begun := b.post(t, form, url.Values{"grade." + string(chunk): {"irrelevant"}, "max_loops": {"0"}, "rewrite": {" "}})
	all, err := b.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message)
	if err != nil || len(all) != 1 || begun.status != 303 || begun.header.Get("Location") != link.Run(all[0].Run) {
		t.Fatalf("%d branches, error %v; status %d to %s", len(all), err, begun.status, begun.header.Get("Location"))
	}
	branch := all[0]
	b.Watch(t, branch.Run)
	for _, run := range []domain.RunID{m.Run, branch.Run} {
		p := b.get(t, link.Run(run))
		for _, want := range []string{"Branches of this turn", "As asked", "Grade flipped, 0 rewrites", "from step 2 of “As asked”", "foundry.txt: not relevant", answer.SaysNotOutright} {
			if !strings.Contains(p.body, want) {
				t.Errorf("the page of run %s does not say %q", run, want)
			}
		}
	}
	if said := b.get(t, link.Run(branch.Run)); strings.Contains(said.body, `data-testid="supported"`) || !strings.Contains(said.body, "Did the graph help?") {
		t.Errorf("of an answer without citations the page says %s", said.main(t))
	}
	turn := b.get(t, link.BranchTurn(m.Conversation, m.Message, branch.Branch))
	if !strings.Contains(turn.body, answer.SaysNotOutright) || !strings.Contains(turn.body, "branch-links") || strings.Contains(turn.body, m.Citations[0].Text) {
		t.Errorf("the turn with the branch's answer is\n%s", turn.main(t))
	}
	if own := b.get(t, link.Conversation(m.Conversation)); !strings.Contains(own.main(t), m.Citations[0].Text) || !strings.Contains(own.body, "branch-links") {
		t.Error("the turn as asked lost its answer, or has no link to the branch")
	}
	if p := b.get(t, link.DeleteBranch(branch.Branch)); p.status != 200 || !strings.Contains(p.body, "Delete this branch?") {
		t.Errorf("the question whether to delete it: %d", p.status)
	}
	if p := b.post(t, link.DeleteBranch(branch.Branch), nil); p.status != 303 || p.header.Get("Location") != link.Run(m.Run) {
		t.Errorf("deleted: %d to %s", p.status, p.header.Get("Location"))
	}
	for _, address := range []string{link.Run(branch.Run), link.DeleteBranch(branch.Branch), link.Fork(m.Run, 99), link.Fork("j0", 1)} {
		if p := b.get(t, address); p.status != 404 {
			t.Errorf("%s: %d", address, p.status)
		}
	}
	last := strings.Count(b.get(t, link.Run(m.Run)).body, "data-stop=") - 1
	if p := b.get(t, link.Fork(m.Run, last)); p.status != 422 || !strings.Contains(p.body, "Nothing runs after step") {
		t.Errorf("a fork of the end: %d", p.status)
	}
}

// TestABranchHasItsOwnSources opens a source of a branch's answer, and one of another
// message's branch.
func TestABranchHasItsOwnSources(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m, other := b.Answered(t, "", "What did the foundry cast?"), b.Answered(t, "", "What did the foundry cast?")
	started, err := b.Questions.Vary(t.Context(), questions.Variation{Workspace: testkit.Workspace, Message: m.Message, Purpose: questions.Again})
	testkit.Must(t, err)
	b.Watch(t, started.Run)
	branch, err := b.Ledger.Branch(t.Context(), testkit.Workspace, started.Branch)
	testkit.Must(t, err)
	if branch.Status != ledger.MessageDone || len(branch.Citations) == 0 {
		t.Fatalf("the branch is %s, citing %+v", branch.Status, branch.Citations)
	}
	source := link.OfBranch(link.Source(m.Conversation, m.Message, 1), branch.Branch)
	if p := b.get(t, link.BranchTurn(m.Conversation, m.Message, branch.Branch)); !strings.Contains(p.body, source) {
		t.Errorf("the turn does not link %s", source)
	}
	if p := b.get(t, source); p.status != 200 || !strings.Contains(p.body, branch.Citations[0].Text) {
		t.Errorf("the source: %d", p.status)
	}
	if p := b.get(t, link.OfBranch(link.Source(other.Conversation, other.Message, 1), branch.Branch)); p.status != 404 {
		t.Errorf("the source of another message's branch: %d", p.status)
	}
}
