package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/mine/schemas"
)

func TestASchemaIsSetByTheCommand(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	if _, err := sh.run(t, "schema", "show"); err == nil || !strings.Contains(err.Error(), "no schema here") {
		t.Errorf("show without a schema: %v", err)
	}
	if out := sh.must(t, "schema", "templates"); !strings.Contains(out, "minutes") || strings.Count(out, "\n") != 6 {
		t.Errorf("templates prints %q", out)
	}
	if out := sh.must(t, "schema", "use", "minutes"); !strings.Contains(out, "Saved as version 1") {
		t.Errorf("use prints %q", out)
	}
	file := filepath.Join(dir, "schema.yaml")
	sh.must(t, "schema", "export", file)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "name: Meeting") {
		t.Fatalf("the file holds %q, %v", text, err)
	}
	if out := sh.must(t, "schema", "show"); out != string(text) {
		t.Errorf("show and export differ: %q", out)
	}
	sh.stdin = strings.Replace(string(text), "name: Meeting", "name: Meeting\n      colour: red", 1)
	if _, err := sh.run(t, "schema", "set", "-"); err == nil || !strings.Contains(err.Error(), "the key colour is unknown here") {
		t.Errorf("an unknown key: %v", err)
	}
	sh.stdin = "instructions: short\n"
	saved := decoded[schemas.Kept](t, sh.must(t, "schema", "set", "-", "--note", "why", "--json"))
	if saved.Number != 2 || saved.Note != "why" || saved.Who != schemaOperator {
		t.Errorf("set prints %+v", saved)
	}
	var changes []schemas.Change
	if err := json.Unmarshal([]byte(sh.must(t, "schema", "diff", "1", "2", "--json")), &changes); err != nil || len(changes) < 20 {
		t.Errorf("%d changes, %v", len(changes), err)
	}
	if out := sh.must(t, "schema", "diff", "1", "2"); !strings.Contains(out, "- label Meeting\n") || !strings.Contains(out, "    + short\n") {
		t.Errorf("diff prints %q", out)
	}
	if out := sh.must(t, "schema", "diff", "2", "2"); out != "The two versions are the same.\n" {
		t.Errorf("diff of the same prints %q", out)
	}
	sh.must(t, "schema", "restore", "1")
	if out := sh.must(t, "schema", "list"); strings.Count(out, "\n") != 4 || !strings.Contains(out, "Restores version 1") {
		t.Errorf("list prints %q", out)
	}
	sh.must(t, "schema", "clear")
	for _, args := range [][]string{{"schema", "show"}, {"schema", "clear"}, {"schema", "show", "9"}, {"schema", "restore", "x"}, {"schema", "use", "none"}, {"schema", "set", filepath.Join(dir, "none")}, {"schema", "propose"}} {
		if out, err := sh.run(t, args...); err == nil {
			t.Errorf("clew %s prints %q", strings.Join(args, " "), out)
		}
	}
}

func TestSchemasOfTagsAndDocumentsByTheCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.must(t, "schema", "use", "people", "--tag", "Letters")
	sh.must(t, "schema", "use", "papers", "--document", "foundry.txt")
	if _, err := sh.run(t, "schema", "use", "papers", "--document", "none.txt"); err == nil || !strings.Contains(err.Error(), "There is no document called") {
		t.Errorf("an unknown document: %v", err)
	}
	if _, err := sh.run(t, "schema", "list", "--tag", "a", "--document", "b"); err == nil {
		t.Error("a tag and a document are taken together")
	}
	var all []schemas.Kept
	if err := json.Unmarshal([]byte(sh.must(t, "schema", "scopes", "--json")), &all); err != nil || len(all) != 2 || all[0].Tag != "letters" || all[1].Document == "" {
		t.Fatalf("the scopes are %+v, %v", all, err)
	}
	shown := decoded[schemas.Kept](t, sh.must(t, "schema", "show", "--json", "--document", string(all[1].Document)))
	if shown.Number != 2 || shown.Guide == nil || shown.Guide.Schema.Labels[0].Name != "Paper" {
		t.Errorf("show prints %+v", shown)
	}
	if out := sh.must(t, "schema", "propose"); !strings.Contains(out, "name: ") {
		t.Errorf("propose prints %q", out)
	}
}
