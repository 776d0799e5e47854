package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEntitiesAreListedJoinedAndExported(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := sh.run(t, args...)
		if err != nil {
			t.Fatalf("clew %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	document := filepath.Join(dir, "bridge.md")
	if err := os.WriteFile(document, []byte("Henrike Aldous designed Copper Bridge. The Carrow Foundry cast the bells of Osterby."), 0o600); err != nil {
		t.Fatal(err)
	}
	run("ingest", document)
	if out := run("entities", "list", "henrike"); !strings.Contains(out, "Henrike Aldous") || strings.Contains(out, "Osterby") {
		t.Errorf("list prints %q", out)
	}
	if out := run("entities", "near", "henrike"); !strings.Contains(out, "Copper Bridge") || strings.Contains(out, "Henrike") {
		t.Errorf("near prints %q", out)
	}
	if _, err := sh.run(t, "entities", "near", "henrike", "--steps", "9"); err == nil || !strings.Contains(err.Error(), "between 0 and 3 steps") {
		t.Errorf("nine steps: %v", err)
	}
	if out := run("entities", "path", "henrike", "copper bridge"); !strings.Contains(out, "Henrike Aldous DESIGNED Copper Bridge") {
		t.Errorf("path prints %q", out)
	}
	if out := run("entities", "export", "--format", "csv", "-"); !strings.Contains(out, "Copper Bridge") {
		t.Errorf("standard output has %.200q", out)
	}
	graph := filepath.Join(dir, "graph.graphml")
	run("entities", "export", graph)
	if file, err := os.ReadFile(graph); err != nil || !strings.Contains(string(file), "Copper Bridge") {
		t.Errorf("the file holds %.200s, %v", file, err)
	}
	for name, text := range map[string]string{"one.md": "Ambrose Keel praised Henrike Aldous's day.", "two.md": "Ambrose Keel came late. Henrike Aldous left.", "three.md": "Ambrose Keel slept. Henrike Aldous read.", "four.md": "Velm Mill is closed."} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run("ingest", filepath.Join(dir, name))
	}
	if out := run("entities", "show", "Ambrose Keel"); !strings.Contains(out, "mentioned together with Henrike Aldous") {
		t.Errorf("show prints %q", out)
	}
	for flag, want := range map[string]bool{"--mentions": true, "--mentions=false": false} {
		if out := run("entities", "export", flag, "--format", "csv", "-"); strings.Contains(out, "MENTIONED_WITH") != want {
			t.Errorf("export %s prints %q", flag, out)
		}
	}
	unknown := filepath.Join(dir, "graph.pdf")
	if _, err := sh.run(t, "entities", "export", unknown); err == nil || !strings.Contains(err.Error(), "graphml") {
		t.Errorf("an unknown format: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*clew-*")); len(left) > 0 {
		t.Errorf("a failed export leaves %v", left)
	}
}
