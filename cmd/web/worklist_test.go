package main

import (
	"testing"

	"github.com/clewhq/clew/internal/graph/worklist"
)

func TestWorkListsArePrinted(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	sh.must(t, "ingest", file(t, dir, "bridge.md", "Henrike Aldous designed Copper Bridge. The Carrow Foundry cast the bells of Osterby."))
	counts := decoded[map[string]int](t, sh.must(t, "entities", "worklist", "--json"))
	if counts["once"] == 0 || counts["weak"] == 0 || counts["contradictions"] != 0 {
		t.Errorf("the lists have %v", counts)
	}
	weak := decoded[[]worklist.Entry](t, sh.must(t, "entities", "worklist", "weak", "--json", "--limit", "0"))
	if len(weak) != counts["weak"] || weak[0].Name == "" || weak[0].Relations[0].Target == "" {
		t.Errorf("weak relations are %+v, want %d with names", weak, counts["weak"])
	}
	if out, err := sh.run(t, "entities", "worklist", "strong"); err == nil {
		t.Errorf("an unknown list prints %q", out)
	}
}
