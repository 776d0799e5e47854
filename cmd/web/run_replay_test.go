package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestReplaysCallNoModel asks a model, replays the answer in other processes, and
// again when a new document makes another passage be graded: that is reported and
// not asked.
func TestReplaysCallNoModel(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	got := decoded[answered](t, sh.must(t, "ask", "--json", "Who founded the foundry?"))
	calls := func() int { return model.Calls(llmtest.Any) + model.Calls(llmtest.Embedding) }
	before := calls()
	same := decoded[[]replayedRun](t, sh.must(t, "run", "replay", "--json", got.Run))
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
	differs := decoded[[]replayedRun](t, out)[0]
	if differs.Same || differs.Nodes[0].Mark != "differs" || differs.Nodes[0].Difference == nil || !strings.Contains(differs.Nodes[1].Problem, "was not asked before") {
		t.Errorf("replayed %+v", differs)
	}
	if n := calls() - before; n != 0 {
		t.Errorf("the replay made %d calls", n)
	}
}
