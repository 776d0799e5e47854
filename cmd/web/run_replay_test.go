package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestReplaysCallNoModel asks a model, replays the answer in other processes, and
// again when a new document makes another passage be graded: that is reported and
// not asked.
func TestReplaysCallNoModel(t *testing.T) {
	race.Want(t)
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the foundry?"))
	calls := func() int { return model.Calls(llmtest.Any) + model.Calls(llmtest.Embedding) }
	before := calls()
	same := decoded[[]questions.ReplayedRun](t, sh.must(t, "run", "replay", "--json", got.Run))
	if len(same) != 1 || !same[0].Same || len(same[0].Nodes) < 4 {
		t.Fatalf("replayed %+v", same)
	}
	if out := sh.must(t, "run", "replay", got.Run, got.Run); strings.Count(out, "same  retrieve") != 2 {
		t.Errorf("printed %q", out)
	}
	if n := calls() - before; n != 0 {
		t.Errorf("the replays made %d calls", n)
	}
	sh.must(t, "ingest", bridgeFile)
	before = calls()
	out, err := sh.run(t, "run", "replay", "--json", got.Run)
	if domain.KindOf(err) != domain.Conflict || !strings.Contains(domain.InWords(err), "1 run did not do the same") {
		t.Errorf("the exit says %v", err)
	}
	differs := decoded[[]questions.ReplayedRun](t, out)[0]
	if differs.Same || differs.Nodes[0].Mark != "differs" || differs.Nodes[0].Difference == nil || !strings.Contains(differs.Nodes[1].Problem, "was not asked before") {
		t.Errorf("replayed %+v", differs)
	}
	if n := calls() - before; n != 0 {
		t.Errorf("the replay made %d calls", n)
	}
}

// TestReplaysEmbedNothing asks without a model but with embeddings: the same question gets
// the same answer, and a replay takes all vectors from the store.
func TestReplaysEmbedNothing(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	sh := embeds(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	ask := func() questions.Reply {
		got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the foundry?"))
		for i := range got.Documents {
			if got.Documents[i].Reason == "" {
				t.Errorf("no reason for %+v", got.Documents[i])
			}
		}
		return got
	}
	first, again := ask(), ask()
	if len(first.Citations) == 0 || model.Calls(llmtest.Embedding) == 0 {
		t.Fatalf("%+v after %d calls", first, model.Calls(llmtest.Embedding))
	}
	if diff := cmp.Diff(first, again, cmpopts.IgnoreFields(questions.Reply{}, "Run", "Conversation", "Message")); diff != "" {
		t.Errorf("the second answer (-first +second)\n%s", diff)
	}
	before := model.Calls(llmtest.Embedding)
	same := decoded[[]questions.ReplayedRun](t, sh.must(t, "run", "replay", "--json", first.Run))
	if n := model.Calls(llmtest.Embedding) - before; len(same) != 1 || !same[0].Same || n != 0 {
		t.Errorf("replayed %+v with %d calls", same, n)
	}
	said := sh.must(t, "run", "show", first.Run)
	if !strings.Contains(said, "near: foundry.txt: ") || !strings.Contains(said, "Maud Ferring founded") {
		t.Errorf("clew run show says\n%s", said)
	}
	for _, step := range decoded[[]report.ShownStep](t, sh.must(t, "run", "show", first.Run, "--json")) {
		for _, j := range step.Judged {
			if j.Said != "near" && j.Said != "far" || j.Nearness <= 0 || j.Sentence == "" {
				t.Errorf("judged %+v", j)
			}
		}
	}
	if list := decoded[[]questions.ListedConversation](t, sh.must(t, "conversations", "list", "--json")); len(list) == 0 || list[0].Remark != "" {
		t.Errorf("the conversations are %+v", list)
	}
	sh.must(t, "ask", "Which zebra galloped?")
	if out := sh.must(t, "conversations", "list"); !strings.Contains(out, "nothing close") {
		t.Errorf("the list says\n%s", out)
	}
}
