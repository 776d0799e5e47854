package main

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestStudyOnTheCommandLine makes sets of a document, a tag and the library, takes an item out and puts it back, and exports.
func TestStudyOnTheCommandLine(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.must(t, "documents", "tag", "--add", "town", "bridge.md")
	for _, args := range []string{"cards --all", "faq --tag town", "faq bridge.md --most 10"} {
		set := decoded[studies.Set](t, sh.must(t, append([]string{"study", "--json"}, strings.Fields(args)...)...))
		if len(set.Items) == 0 || len(set.Citations) != len(set.Items) || set.Status != "done" {
			t.Errorf("study %s prints %+v", args, set)
		}
		for i, item := range set.Items {
			c := set.Citations[i]
			runes := []rune(map[string]string{"foundry.txt": foundry, "bridge.md": bridge}[c.Document])
			if item.Source != c.N || string(runes[c.Start:c.End]) != c.Text {
				t.Errorf("item %+v has the source %+v", item, c)
			}
		}
	}
	made := decoded[studies.Set](t, sh.must(t, "study", "--json", "cards", "bridge.md"))
	id, front := string(made.ID), made.Items[0].Front
	if again := decoded[studies.Set](t, sh.must(t, "study", "again", id, "--json")); again.ID == made.ID || len(again.Items) != len(made.Items) || again.Items[0] != made.Items[0] {
		t.Errorf("made again: %+v", again)
	}
	if out := sh.must(t, "study", "remove", id, "1"); !strings.Contains(out, "item") {
		t.Errorf("remove prints %q", out)
	}
	if out := sh.must(t, "study", "export", id); strings.Contains(out, front) || !strings.HasPrefix(out, "#separator:Comma\n") {
		t.Errorf("export without the item: %s", out)
	}
	sh.must(t, "study", "restore", id, "1")
	if out := sh.must(t, "study", "export", id, "--format", "md"); !strings.Contains(out, "# Cards of bridge.md") || !strings.Contains(out, "> bridge.md") {
		t.Errorf("export with the item: %s", out)
	}
	if out := sh.must(t, "study", "list"); !strings.Contains(out, "Cards of the library") || !strings.Contains(out, id) {
		t.Errorf("list prints %s", out)
	}
	if out := sh.must(t, "summaries", "list"); !strings.Contains(out, "There is no summary.") {
		t.Errorf("study sets are listed as summaries: %s", out)
	}
	for args, says := range map[string]string{
		"faq":                             "--all",
		"poem --all":                      "glossary, faq or cards",
		"faq nowhere.txt":                 `no document called "nowhere.txt"`,
		"faq --tag none":                  `No documents with the tag "none"`,
		"faq --all --most 0":              "1 to 100 items",
		"faq --all --most 101":            "1 to 100 items",
		"remove " + id + " 99":            "no item 99",
		"remove " + id + " x":             "not the number of an item",
		"export " + id + " --format xlsx": "anki, csv or md",
		"show s0":                         "no study set s0",
		"delete s0":                       "no study set s0",
	} {
		if _, err := sh.run(t, append([]string{"study"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("study %s: %v", args, err)
		}
	}
	sh.must(t, "study", "delete", id)
	if _, err := sh.run(t, "study", "show", id); err == nil {
		t.Error("a deleted study set is shown")
	}
}
