package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestDocumentsThatWaitTakeTurns pauses documents that wait, lets one go on, and stops it.
func TestDocumentsThatWaitTakeTurns(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	sh.must(t, "ingest", file(t, dir, "bridge.md", "Henrike Aldous designed Copper Bridge."), file(t, dir, "bells.txt", "The Carrow Foundry cast the bells of Osterby."))
	sh.must(t, "documents", "retry", "--all", "--yes")
	for _, r := range listRuns(t, sh, "--state", "waiting") {
		if out := sh.must(t, "run", "show", string(r.ID)); out != "It has not begun.\n" {
			t.Errorf("a run that waits: %s", out)
		}
	}
	if _, log, err := sh.carryOut(t, "ask", "Who designed Copper Bridge?"); err != nil || !strings.Contains(log.String(), "2 documents are still being read, so something may be missing below.") {
		t.Errorf("a question meanwhile: %v\n%s", err, log)
	}
	turn := func(args ...string) int {
		t.Helper()
		return decoded[documents.Changed](t, sh.must(t, append(append([]string{"documents"}, args...), "--json")...)).Documents
	}
	reading := func() ledger.Reading {
		t.Helper()
		return decoded[documents.ReadingNow](t, sh.must(t, "documents", "reading", "--json")).Reading
	}
	if n, r := turn("pause", "--all"), reading(); n != 2 || r.Documents != 2 || r.Paused != 2 {
		t.Errorf("%d are paused: %+v", n, r)
	}
	if out := sh.must(t, "documents", "list", "--state", "paused"); strings.Count(out, "waiting") != 2 {
		t.Errorf("paused are\n%s", out)
	}
	if n, r := turn("go-on", "bells.txt"), reading(); n != 1 || r.Paused != 1 {
		t.Errorf("%d went on: %+v", n, r)
	}
	if n, r := turn("first", "bridge.md"), reading(); n != 1 || r.Paused != 0 {
		t.Errorf("%d is first: %+v", n, r)
	}
	if n, r := turn("stop", "--state", "working"), reading(); n != 2 || r.Documents != 0 {
		t.Errorf("%d are stopped: %+v", n, r)
	}
	if _, log, err := sh.carryOut(t, "ask", "Who designed Copper Bridge?"); err != nil || strings.Contains(log.String(), "being read") {
		t.Errorf("a question afterwards: %v\n%s", err, log)
	}
	if out := sh.must(t, "documents", "reading"); !strings.HasPrefix(out, "0 documents wait") {
		t.Errorf("then: %s", out)
	}
}
