package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit/race"
)

func TestSummarizeOnTheCommandLine(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	got := decoded[summarised](t, sh.must(t, "summarize", "--json", "--all", "--length", "short"))
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
	} {
		if _, err := sh.run(t, append([]string{"summarize"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("summarize %s: %v", args, err)
		}
	}
}
