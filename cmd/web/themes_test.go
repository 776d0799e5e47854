package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/sample"
)

// TestThemesOfTheSample asks what the sample library is about, in words and by
// command: the answer comes from communities without a search, and cites passages.
func TestThemesOfTheSample(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	files := []string{"ingest"}
	for _, f := range sample.Files() {
		path := filepath.Join(t.TempDir(), f.Name)
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	sh.must(t, files...)
	list := decoded[[]themeLine](t, sh.must(t, "themes", "--json"))
	if len(list) < 2 || len(list[0].Names) == 0 || len(list[0].Says) == 0 || list[0].Documents < list[len(list)-1].Documents-5 {
		t.Fatalf("themes %+v", list)
	}
	if out := sh.must(t, "themes"); !strings.Contains(out, list[0].Names[0]) || !strings.Contains(out, list[0].Says[0].Document) {
		t.Errorf("printed %s", out)
	}
	got := decoded[answered](t, sh.must(t, "ask", "--json", "What are the main themes of these documents?"))
	if want := []string{"route", "generate", "check_support"}; !slices.Equal(got.Path, want) || len(got.Citations) < 4 {
		t.Fatalf("went %v with %d citations: %s", got.Path, len(got.Citations), got.Answer)
	}
	if !strings.Contains(got.Answer, "The themes, by the names that stand for them: ") {
		t.Errorf("answered %s", got.Answer)
	}
	for _, c := range got.Citations {
		if c.Text == "" || c.End <= c.Start {
			t.Errorf("citation %+v", c)
		}
	}
	two := decoded[answered](t, sh.must(t, "ask", "--json", "--within", "doc:"+got.Citations[0].DocumentID, "What is this about?"))
	if len(two.Citations) == 0 || !strings.Contains(two.Answer, got.Citations[0].Document) {
		t.Errorf("within one document: %+v", two)
	}
	for _, c := range two.Citations {
		if c.DocumentID != got.Citations[0].DocumentID {
			t.Errorf("within one document it cites %s", c.Document)
		}
	}
	if found := decoded[answered](t, sh.must(t, "ask", "--json", "--method", "words", "What are the main themes?")); slices.Contains(found.Path, "route") {
		t.Errorf("a search by words alone went %v", found.Path)
	}
}
