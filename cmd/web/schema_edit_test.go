package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// editor returns a setting whose editor runs a script on the file, $1. The script's
// folder, $0's, keeps what it notes.
func editor(t *testing.T, script string) (setting, dir string) {
	t.Helper()
	dir = t.TempDir()
	path := file(t, dir, "edit.sh", script)
	return "EDITOR=sh " + path, dir
}

func TestASchemaIsEditedInAnEditor(t *testing.T) {
	t.Parallel()
	// The first edit is wrong, the second finds the line that is named and mends it.
	setting, dir := editor(t, `
cd "$(dirname "$0")"
n=$(ls opened-* 2>/dev/null | wc -l)
cp "$1" opened-$n
if [ $n = 0 ]; then sed -i 's/name: Person/name: Person\n      colour: red/' "$1"
elif [ $n = 1 ]; then
  line=$(sed -n 's/^# Line \([0-9]*\):.*/\1/p' "$1")
  sed -i "${line}d" "$1"
  sed -i 's/types: \[\]/types:\n    - name: CAST\n      one: true\n    - name: "7"/' "$1"
else sed -i 's/name: "7"/name: MADE/' "$1"; fi
`)
	sh := newShell(t, setting)
	if out := sh.must(t, "schema", "edit", "--note", "by hand"); !strings.Contains(out, "Saved as version 1") {
		t.Errorf("edit prints %q", out)
	}
	opened := func(n string) string {
		text, err := os.ReadFile(filepath.Join(dir, "opened-"+n))
		noError(t, err)
		return string(text)
	}
	if first := opened("0"); !strings.Contains(first, "There is no schema here yet") || !strings.Contains(first, "name: Person") {
		t.Errorf("at first the editor shows %q", first)
	}
	for n, says := range map[string]string{"1": "# Line 8: the key colour is unknown here.\n", "2": "# Line 12: The name of type 2 is"} {
		if text := opened(n); !strings.Contains(text, says) || strings.Count(text, "#") != headLines {
			t.Errorf("the editor shows %q, want %q", text, says)
		}
	}
	if out := sh.must(t, "schema", "show"); !strings.Contains(out, "one: true") || !strings.Contains(out, "MADE") || strings.Contains(out, "colour") {
		t.Errorf("saved: %s", out)
	}
	if v := decoded[schemas.Kept](t, sh.must(t, "schema", "show", "--json")); v.Note != "by hand" || v.Who != schemaOperator {
		t.Errorf("saved as %+v", v)
	}
}

func TestAnEditThatIsNotSaved(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "schema", "use", "minutes")
	for script, says := range map[string]string{
		`true`:                    "Nothing has changed.",
		`: > "$1"`:                "Nothing has changed.",
		`echo "schema: [" > "$1"`: "Line",
		`grep -q colour "$1" || echo "colour: red" >> "$1"`: "the key colour is unknown here",
		`exit 3`: "Set EDITOR to one that works",
	} {
		setting, _ := editor(t, script)
		sh.environ = []string{setting}
		out, err := sh.run(t, "schema", "edit")
		if err != nil {
			_, path, _ := strings.Cut(err.Error(), "Your text is in ")
			path, _, _ = strings.Cut(path, ".yaml")
			if _, gone := os.Stat(path + ".yaml"); gone != nil {
				t.Errorf("%s: the text is lost: %v", script, err)
			}
			os.RemoveAll(filepath.Dir(path))
			out = err.Error()
		}
		if !strings.Contains(out, says) {
			t.Errorf("%s: edit says %q, want %q", script, out, says)
		}
	}
	if out := sh.must(t, "schema", "list"); strings.Count(out, "\n") != 2 {
		t.Errorf("the versions are %q", out)
	}
}

// TestWhatTheCommandsSayIfTheyGetNothing names what to do.
func TestWhatTheCommandsSayIfTheyGetNothing(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	for _, args := range [][]string{{"schema", "try", ""}, {"schema", "try"}, {"schema", "set"}, {"schema", "export", ""}} {
		if out, err := sh.run(t, args...); err == nil || !strings.Contains(err.Error(), "Name one YAML file, or - for a pipe: clew schema "+args[1]) {
			t.Errorf("clew %q: %q, %v", args, out, err)
		}
	}
	if out := sh.must(t, "documents", "dropped"); out != "Nothing was dropped from any document.\n" {
		t.Errorf("dropped prints %q", out)
	}
}

// TestASchemaIsChosenByTheCommand reads two documents by schemas of their own, and
// gives one of them another.
func TestASchemaIsChosenByTheCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	places := file(t, t.TempDir(), "Only places.yaml", onlyPlaces)
	if out := sh.must(t, "ingest", "--schema", places, "--json", foundryFile); !strings.Contains(out, `"schema": 1`) {
		t.Errorf("ingest prints %q", out)
	}
	if out := sh.must(t, "ingest", "--schema", "people", foundryFile); !strings.Contains(out, "keeps its schema") {
		t.Errorf("added again, ingest prints %q", out)
	}
	sh.must(t, "ingest", bridgeFile)
	if out, err := sh.run(t, "ingest", "--schema", "nobody", bridgeFile); err == nil {
		t.Errorf("an unknown schema: %q", out)
	}
	if out := sh.must(t, "documents", "schema", "foundry.txt"); out != "foundry.txt was read with version 1, of name only places.\n" {
		t.Errorf("documents schema prints %q", out)
	}
	if out := sh.must(t, "documents", "dropped"); !strings.Contains(out, "foundry.txt") || strings.Contains(out, "bridge") || !strings.Contains(out, "clew documents dropped \"foundry.txt\"") {
		t.Errorf("dropped prints %q", out)
	}
	if counts := decoded[[]documents.DroppedCount](t, sh.must(t, "documents", "dropped", "--json")); len(counts) != 1 || counts[0].Dropped == 0 {
		t.Errorf("dropped --json prints %+v", counts)
	}

	// What was dropped is allowed, and comes back: this command reads, as nothing else runs.
	if _, err := sh.run(t, "schema", "allow", "label", "Place", "--name", "only places"); err == nil {
		t.Error("what is allowed is allowed again")
	}
	dropped := decoded[[]ledger.DroppedItem](t, sh.must(t, "documents", "dropped", "foundry.txt", "--json"))
	if out := sh.must(t, "schema", "allow", "label", dropped[0].Label, "--name", "Only places"); !strings.Contains(out, "Saved as version 3") {
		t.Errorf("allow prints %q", out)
	}
	if out := sh.must(t, "schema", "apply"); !strings.Contains(out, "so this command reads them") || !strings.Contains(out, "1 of 1: foundry.txt: ready") {
		t.Errorf("apply prints %q", out)
	}
	after := decoded[[]ledger.DroppedItem](t, sh.must(t, "documents", "dropped", "foundry.txt", "--json"))
	if len(after) >= len(dropped) {
		t.Errorf("%d items are dropped after, %d before", len(after), len(dropped))
	}
	if out := sh.must(t, "documents", "schema", "foundry.txt", "--library"); !strings.Contains(out, "When it is read again: no schema.") {
		t.Errorf("documents schema --library prints %q", out)
	}
	if out := sh.must(t, "documents", "schema", "foundry.txt", "people"); !strings.Contains(out, "of name people") {
		t.Errorf("documents schema prints %q", out)
	}
	if out := sh.must(t, "schema", "scopes"); !strings.Contains(out, "name only places") || !strings.Contains(out, "name people") {
		t.Errorf("scopes prints %q", out)
	}
	if out := sh.must(t, "schema", "apply", "--queue"); !strings.Contains(out, "neither is running") {
		t.Errorf("apply --queue prints %q", out)
	}
}
