package measure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// beside writes the small folder twice, the second time with a passage of its
// own, into one folder.
func beside(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, f := range map[string]folder{"a": small(), "b": small()} {
		if name == "b" {
			f.passages = append(f.passages, Passage{ID: "p6", Title: "Osterby", Text: "It is a village."})
			f.questions = f.questions[:1]
		}
		if err := os.Rename(f.writeWithoutVectors(t), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFoldersAreSearchedAsOneLibrary(t *testing.T) {
	t.Parallel()
	root := beside(t)
	sets, err := load(root)
	if err != nil || len(sets.corpus.Passages) != 7 {
		t.Fatalf("%d passages, error %v, want each passage once", len(sets.corpus.Passages), err)
	}
	scores, err := Retrieval(t.Context(), params(t), root)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Folder, Method string
		Questions      int
		Recall5        float64
	}
	var got []row
	for _, s := range scores {
		got = append(got, row{s.Folder, s.Method, s.Questions, s.Recall5})
	}
	want := []row{
		{"a", "bm25", 3, got[0].Recall5}, {"a", "builtin", 3, 1},
		{"b", "bm25", 1, got[2].Recall5}, {"b", "builtin", 1, 1},
		{"all", "bm25", 4, (3*got[0].Recall5 + got[2].Recall5) / 4}, {"all", "builtin", 4, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scores (-want +got)\n%s", diff)
	}
}

func TestMissesAreExplained(t *testing.T) {
	t.Parallel()
	f := small()
	f.questions = f.questions[:1]
	f.questions[0].Gold = []string{"p0", "p5"} // nothing leads from the bridge to Anna Lind
	misses, err := Explain(t.Context(), params(t), f.writeWithoutVectors(t), 9)
	if err != nil || len(misses) != 1 {
		t.Fatalf("misses %+v, %v", misses, err)
	}
	m := misses[0]
	if m.Question != f.questions[0].Question || m.Title != "Anna Lind" || m.Started != "names in the question: Copper Bridge" {
		t.Errorf("miss %+v", m)
	}
	if diff := cmp.Diff(map[string]int{"bm25": 0, "builtin": 0}, m.Ranks); diff != "" {
		t.Errorf("ranks (-want +got)\n%s", diff)
	}
	if len(m.Before) == 0 || m.Before[0] != "Copper Bridge" {
		t.Errorf("found %q instead", m.Before)
	}
	if misses, err = Explain(t.Context(), params(t), small().writeWithoutVectors(t), 9); err != nil || len(misses) != 0 {
		t.Errorf("misses %+v, %v, where everything is found", misses, err)
	}
}
