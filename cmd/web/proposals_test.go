package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProposalsFromTheCommandLine compares entities, and decides about what is
// proposed.
func TestProposalsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "Agnes Lovibond founded the Carrow Foundry. Agnes Lovibond met Otto Marl.",
		"b.txt": "Captain Agnes Lovibond met Otto Marl. Captain Agnes Lovibond lived in Velm.",
		"c.txt": "A. Lovibond taught in Osterby. A. Lovibond knew nobody.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sh.must(t, "ingest", dir)
	if out := sh.must(t, "entities", "resolve", "--dry"); !strings.Contains(out, "Agnes Lovibond") || strings.Contains(sh.must(t, "entities", "proposals"), "Lovibond") {
		t.Errorf("dry: %s", out)
	}
	done := decoded[resolved](t, sh.must(t, "entities", "resolve", "--json"))
	if len(done.Merged) != 1 || done.Proposed == 0 {
		t.Fatalf("got %+v, want one merge and some proposals", done)
	}
	first := func(flags ...string) proposed {
		t.Helper()
		return decoded[[]proposed](t, sh.must(t, append([]string{"entities", "proposals", "--json"}, flags...)...))[0]
	}
	p := first()
	if p.NameA == "" || p.NameB == "" || len(p.Evidence) == 0 {
		t.Errorf("the first proposal is %+v", p)
	}
	sh.must(t, "entities", "later", string(p.ID))
	if out := sh.must(t, "entities", "accept", string(p.ID)); !strings.Contains(out, "Merged") {
		t.Errorf("accepted: %s", out)
	}
	if got := first("--decided"); got.ID != p.ID || got.Status != "merged" {
		t.Errorf("the last decision is %+v", got)
	}
	for _, args := range [][]string{{"entities", "reject"}, {"entities", "never", "p1"}} {
		if out, err := sh.run(t, args...); err == nil {
			t.Errorf("clew %s succeeds: %s", strings.Join(args, " "), out)
		}
	}
}
