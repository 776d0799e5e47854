package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/views/link"
)

func TestDocumentsAreListedTaggedAndDeleted(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	sh.must(t, "ingest", file(t, dir, "bridge.md", "Henrike Aldous designed Copper Bridge."), file(t, dir, "bells.txt", "The Carrow Foundry cast the bells of Osterby."),
		file(t, dir, "school.txt", "Agnes Lovibond taught at the school of Osterby."))
	names := func(args ...string) string {
		t.Helper()
		var all []string
		for _, d := range decoded[[]documents.Listed](t, sh.must(t, append([]string{"documents", "list", "--json"}, args...)...)) {
			all = append(all, d.Name)
		}
		return strings.Join(all, " ")
	}
	if got := names("--sort", "name"); got != "bells.txt bridge.md school.txt" {
		t.Errorf("by name: %s", got)
	}
	if got := names("--format", "text", "--sort=-name", "--limit", "1"); got != "school.txt" {
		t.Errorf("the last text: %s", got)
	}
	last := decoded[[]documents.Listed](t, sh.must(t, "documents", "list", "--sort", "name", "--limit", "1", "--json"))
	if got := names("--sort", "name", "--after", string(last[0].ID)); got != "bridge.md school.txt" {
		t.Errorf("after the first: %s", got)
	}
	sh.must(t, "documents", "tag", "--match", "b", "--add", "Old, inbox")
	off := decoded[documents.Changed](t, sh.must(t, "documents", "tag", "bridge.md", "--remove", "inbox", "--json"))
	sh.must(t, "changes", "undo", fmt.Sprint(off.Change))
	if got := names("--tag", "inbox", "--sort", "name"); got != "bells.txt bridge.md" || off.Documents != 1 {
		t.Errorf("after undoing, inbox holds %s", got)
	}
	if said := sh.must(t, "documents", "tag", "bridge.md", "--remove", "inbox"); !strings.Contains(said, "Changed the tags of 1 document. To undo this, run clew changes undo") {
		t.Errorf("tagging says %s", said)
	}
	if got := names("--tag", "old", "--sort", "name") + "; " + names("--tag", "inbox"); got != "bells.txt bridge.md; bells.txt" {
		t.Errorf("tagged: %s", got)
	}
	if got := decoded[documents.Changed](t, sh.must(t, "documents", "retry", "--state", "ready", "--yes", "--json")); got.Documents != 3 {
		t.Errorf("%d documents are queued, want 3", got.Documents)
	}
	if got := decoded[documents.ReadingNow](t, sh.must(t, "documents", "reading", "--json")); len(got.Rereadings) != 1 || got.Rereadings[0].Unbegun != 3 {
		t.Errorf("reading again has come as far as %+v", got.Rereadings)
	}
	if got := decoded[documents.Changed](t, sh.must(t, "documents", "retry", "--leave-rest", "--json")); got.Documents != 3 {
		t.Errorf("%d documents are left, want 3", got.Documents)
	}
	if got := names("--state", "ready", "--sort", "name"); got != "bells.txt bridge.md school.txt" {
		t.Errorf("ready as before are %s", got)
	}
	for _, args := range [][]string{{"documents", "delete"}, {"documents", "delete", "bells.txt", "--all"}, {"documents", "list", "--sort", "colour"}, {"documents", "list", "--state", "odd"},
		{"documents", "tag", "--all"}, {"documents", "list", "--from", "May"}} {
		if out, err := sh.run(t, args...); err == nil {
			t.Errorf("clew %s prints %q", strings.Join(args, " "), out)
		}
	}
	if got := decoded[documents.Changed](t, sh.must(t, "documents", "delete", "--tag", "old", "--yes", "--json")); got.Documents != 2 {
		t.Errorf("%d documents are deleted, want 2", got.Documents)
	}
	if got := names(); got != "school.txt" {
		t.Errorf("left: %s", got)
	}
	if out := sh.must(t, "documents", "list"); !strings.Contains(out, "1 of 1 document that match") && !strings.Contains(out, "1 of 1 document") {
		t.Errorf("the list says %s", out)
	}
}

// TestADocumentIsShownWithWhatWasMined compares what the command prints with what the page says.
func TestADocumentIsShownWithWhatWasMined(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", foundry))
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	shown := decoded[documents.Shown](t, sh.must(t, "documents", "show", "foundry.txt", "--json"))
	if len(shown.Passages) != 1 || shown.Passages[0].Text == "" || shown.Passages[0].Reader == "" || len(shown.Passages[0].Graph.Nodes) == 0 || len(shown.Cited) != 1 {
		t.Fatalf("shown %+v", shown)
	}
	served := sh.serve(t)
	status, page := served.get(t, link.Chunks(shown.ID))
	said := sh.must(t, "documents", "show", "foundry.txt")
	for _, n := range shown.Passages[0].Graph.Nodes {
		if !strings.Contains(page, n.Name) || !strings.Contains(said, n.Name+" ("+n.Label+")") {
			t.Errorf("%s is missing on the page (%d) or in %s", n.Name, status, said)
		}
	}
	if !strings.Contains(said, "cited in: Who founded the Carrow Foundry?") {
		t.Errorf("the question is missing in %s", said)
	}
	if _, page := served.get(t, link.Cited(shown.ID)); !strings.Contains(page, "Who founded the Carrow Foundry?") {
		t.Errorf("the question is missing in %s", page)
	}
}
