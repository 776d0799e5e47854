package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/testkit/race"
)

func TestSummarizeOnTheCommandLine(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	got := decoded[summaries.Summed](t, sh.must(t, "summarize", "--json", "--all", "--length", "short"))
	if !got.Condensed || len(got.Citations) == 0 || !strings.Contains(got.Summary, "[1]") || got.Run == "" {
		t.Errorf("printed %+v", got)
	}
	for _, c := range got.Citations {
		runes := []rune(map[string]string{"foundry.txt": foundry, "bridge.md": bridge}[c.Document])
		if string(runes[c.Start:c.End]) != c.Text {
			t.Errorf("citation %+v", c)
		}
	}
	out := sh.must(t, "summarize", "bridge.md", "--focus", "Tobias Quennell")
	if !strings.Contains(out, "Tobias Quennell built the Velm Bridge. [1]") || strings.Contains(out, "Foundry") {
		t.Errorf("printed %s", out)
	}
	for args, says := range map[string]string{
		"":                        "--all",
		"nowhere.txt":             `no document called "nowhere.txt"`,
		"bridge.md --length epic": "short, medium or long",
		"bridge.md --token-max 9": "200 to 8,000",
	} {
		if _, err := sh.run(t, append([]string{"summarize"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("summarize %s: %v", args, err)
		}
	}
}

// TestADraftIsEditedOnTheCommandLine stops before the last step, goes on with a text left out, and deletes the summary.
func TestADraftIsEditedOnTheCommandLine(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	asks := decoded[summaries.Summed](t, sh.must(t, "summarize", "--json", "--all", "--review", "--token-max", "500", "--focus", "bells"))
	if asks.Status != ledger.SummaryAsking || len(asks.Draft) != 2 || !asks.Review || asks.TokenMax != 500 || asks.Focus != "bells" {
		t.Fatalf("printed %+v", asks)
	}
	id := string(asks.ID)
	if out := sh.must(t, "summaries", "show", id); !strings.Contains(out, "waits for you") || !strings.Contains(out, asks.Draft[0]) {
		t.Errorf("show prints %q", out)
	}
	if _, err := sh.run(t, "summaries", "continue", id, "--text", "", "--text", "", "--text", "three"); err == nil || !strings.Contains(err.Error(), "2 texts, not 3") {
		t.Errorf("three texts: %v", err)
	}
	sh.must(t, "summaries", "continue", id, "--text", "")
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	noError(t, worker.Start(t.Context()))
	a.finishes(t, asks.Run)
	noError(t, worker.Stop(t.Context()))
	made := decoded[summaries.Summed](t, sh.must(t, "summaries", "show", id, "--json"))
	if made.Status != ledger.SummaryDone || made.TokenMax != 500 || len(made.Citations) == 0 {
		t.Fatalf("show prints %+v", made)
	}
	for _, c := range made.Citations {
		if c.Document != made.Documents[1].Name {
			t.Errorf("the text that was left out is cited: %+v", c)
		}
	}
	if out := sh.must(t, "summaries", "list"); !strings.Contains(out, "Summary of the library") || !strings.Contains(out, id) {
		t.Errorf("list prints %q", out)
	}
	if again := decoded[summaries.Summed](t, sh.must(t, "summaries", "again", id, "--json")); again.ID == made.ID || again.TokenMax != 500 {
		t.Errorf("again prints %+v", again)
	}
	sh.must(t, "summaries", "delete", id)
	if _, err := sh.run(t, "summaries", "show", id); err == nil {
		t.Error("a deleted summary is shown")
	}
}
