package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestUsageAndCaps reads with a scripted model that has a price, meets a cap, raises
// it, and counts what was used.
func TestUsageAndCaps(t *testing.T) {
	race.Want(t)
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, _ := letters(t)
	if out := sh.must(t, "usage", "caps", "workspace", "1000000 tokens"); !strings.Contains(out, "1000000 tokens") {
		t.Errorf("a cap: %s", out)
	}
	sh.must(t, "ingest", foundryFile)
	if out := sh.must(t, "usage", "--by", "role"); !strings.Contains(out, "extract") || !strings.Contains(out, "unknown") || !strings.Contains(out, "No price is known for small, tiny") {
		t.Errorf("without prices: %s", out)
	}
	sh.must(t, "prices", "set", "tiny", "--input", "1000", "--output", "1000", "--from", "2020-01-01")
	sh.must(t, "prices", "set", "small", "--embedding", "0", "--from", "2020-01-01")
	out := sh.must(t, "ask", "Who founded the foundry?")
	if !strings.Contains(out, "tokens, $") {
		t.Errorf("an answer does not say what it cost:\n%s", out)
	}
	answer := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the Carrow Foundry?"))
	if answer.Tokens == 0 || !strings.Contains(answer.Cost, "tokens, $") {
		t.Errorf("as JSON: %d tokens, %s", answer.Tokens, answer.Cost)
	}
	if out := sh.must(t, "run", "show", answer.Run, "--technical"); !strings.Contains(out, "COST") || !strings.Contains(out, answer.Cost) {
		t.Errorf("its run:\n%s", out)
	}
	lines := decoded[[]map[string]any](t, sh.must(t, "usage", "--by", "document", "--json"))
	if len(lines) != 2 || lines[1]["name"] != "foundry.txt" || lines[0]["calls"].(float64)+lines[1]["calls"].(float64) < 4 || lines[0]["cost"].(float64) <= 0 {
		t.Errorf("by document: %v", lines)
	}
	if out := sh.must(t, "usage", "--by", "model", "--csv"); !strings.HasPrefix(out, "model,calls,input tokens,") || !strings.Contains(out, "\ntiny,") {
		t.Errorf("as CSV:\n%s", out)
	}
	bridgeFile := file(t, t.TempDir(), "late.txt", "Agnes Lovibond taught at the school of Osterby.")
	for _, said := range []string{"", "no\n", "Yes\n"} {
		added := said == "Yes\n"
		sh.stdin = said
		out := sh.must(t, "ingest", "--ask", bridgeFile)
		if !strings.Contains(out, "Read them? [y/N] ") || !strings.Contains(out, "late.txt  1") || strings.Contains(out, "Nothing was added.") == added || strings.Contains(out, "late.txt: ") != added {
			t.Errorf("after %q: %s", said, out)
		}
	}
	sh.must(t, "usage", "caps", "day", "0.000001")
	if _, err := sh.run(t, "ask", "And who cast the bells?"); err == nil || !strings.Contains(err.Error(), "The cap of a day is reached") {
		t.Errorf("a question at a cap: %v", err)
	}
	for _, args := range [][]string{{"caps", "moon", "5"}, {"caps", "day", "much"}, {"caps", "day"}, {"--by", "moon"}, {"--from", "yesterday"}} {
		if _, err := sh.run(t, append([]string{"usage"}, args...)...); err == nil {
			t.Errorf("clew usage %v is taken", args)
		}
	}
}
