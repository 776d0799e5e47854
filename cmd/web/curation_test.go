package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/graph/curate"
)

// TestTheGraphIsChangedByCommands makes one decision of every kind, and undoes
// them all: the graph is as before, to the byte.
func TestTheGraphIsChangedByCommands(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	document := filepath.Join(t.TempDir(), "bridge.md")
	if err := os.WriteFile(document, []byte("Henrike Aldous designed Copper Bridge. Ida Quennell was the toll keeper of Velm. The Carrow Foundry cast the bells of Osterby."), 0o600); err != nil {
		t.Fatal(err)
	}
	sh.must(t, "ingest", document)
	export := func() string { return sh.must(t, "entities", "export", "--format", "json", "-") }
	before := export()
	says := func(want string, args ...string) {
		t.Helper()
		if out := sh.must(t, args...); !strings.Contains(out, want) {
			t.Errorf("clew %s prints %q, want %q", strings.Join(args, " "), out, want)
		}
	}
	fails := func(want string, args ...string) {
		t.Helper()
		if out, err := sh.run(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("clew %s prints %q and fails with %v, want %q", strings.Join(args, " "), out, err, want)
		}
	}
	var shown struct {
		ID       string `json:"id"`
		ByHand   bool   `json:"by_hand"`
		Passages []struct{ Document string }
	}
	if err := json.Unmarshal([]byte(sh.must(t, "entities", "show", "Copper Bridge", "--json")), &shown); err != nil || len(shown.Passages) != 1 || shown.ByHand {
		t.Fatalf("show prints %+v, %v", shown, err)
	}
	says("Added “toll keeper” as Office, from a document", "entities", "create", "", "--label", "Office", "--document", shown.Passages[0].Document, "--words", "toll  keeper")
	says("Added “Guild” as Organisation, without a source", "entities", "create", "Guild", "--label", "organisation")
	says("added by hand", "entities", "show", "Guild")
	says("Added that “Guild” leads “toll keeper”, without a source", "entities", "relate", "Guild", "leads", "toll keeper")
	says("added by hand", "entities", "show", "Guild")
	says("Set founded of “Guild” to “1870”", "entities", "set", "Guild", "founded", "1870")
	says("Removed founded of “Guild”", "entities", "unset", "guild", "founded")
	says("Renamed “Copper Bridge” to “The bridge”", "entities", "rename", "Copper Bridge", "The bridge")
	says("Labelled “The bridge” as Structure", "entities", "relabel", shown.ID, "structure")
	says(" into “Henrike Aldous”", "entities", "merge", "Henrike Aldous", "Ida Quennell", "toll keeper")
	says("Took “Ida” out of “Henrike Aldous”", "entities", "split", "Henrike Aldous", "--form", "Ida Quennell", "--name", "Ida")
	says("Deleted “Carrow Foundry”", "entities", "delete", "Carrow Foundry")
	fails("No entity is called “Carrow Foundry”", "entities", "show", "Carrow Foundry")
	fails("does not contain these words", "entities", "create", "", "--document", shown.Passages[0].Document, "--words", "a whistle")
	fails("Name the document that has the words", "entities", "create", "x", "--words", "a whistle")
	fails("no kind of change", "changes", "list", "--kind", "x")
	fails("a number", "changes", "undo", "the last")
	says("Deleted “Carrow Foundry”", "changes", "list", "--who", atTerminal)
	says("undone", "changes", "list", "--kind", "merge", "--json")

	sh.must(t, "entities", "create", "Guild", "--label", "Company")
	fails("2 entities are called “Guild”", "entities", "delete", "Guild")
	for _, c := range decoded[[]curate.Changed](t, sh.must(t, "changes", "list", "--limit", "0", "--json")) {
		sh.must(t, "changes", "undo", strconv.FormatInt(c.Change, 10))
	}
	if after := export(); after != before {
		t.Errorf("after undoing everything:\n%s\nwant\n%s", after, before)
	}
}
