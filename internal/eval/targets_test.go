package eval

import (
	"os"
	"path/filepath"
	"testing"
)

// sets are the development sets with the recall@5, in percent, that the default
// method must reach on each: that of a reference without a model.
var sets = []struct {
	name string
	want float64
}{{"musique_openie", 74.7}, {"musique_dev", 64.0}, {"2wiki", 85.9}, {"hotpotqa", 88.5}}

func TestRecallOnRealQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of short runs: it ingests 4,500 passages")
	}
	root := filepath.Join("..", "..", "..", "shared", "data", "multihop")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("left out: there is no %s", root)
	}
	var words, builtin float64
	for _, set := range sets {
		scores, err := Retrieval(t.Context(), params(t), filepath.Join(root, set.name))
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]Score{}
		for _, s := range scores {
			byName[s.Method] = s
			t.Logf("%-14s %-8s R@2 %.1f R@5 %.1f MRR %.3f p50 %.1f ms", set.name, s.Method, 100*s.Recall2, 100*s.Recall5, s.MRR, s.P50)
		}
		if got := 100 * byName["default"].Recall5; got < set.want-2 {
			t.Errorf("%s: default reaches %.1f, want %.1f within 2 points", set.name, got, set.want)
		}
		if byName["builtin"].Recall5 < byName["bm25"].Recall5 {
			t.Errorf("%s: builtin %.3f is below bm25 %.3f", set.name, byName["builtin"].Recall5, byName["bm25"].Recall5)
		}
		words += 25 * byName["bm25"].Recall5
		builtin += 25 * byName["builtin"].Recall5
	}
	t.Logf("average R@5: bm25 %.1f, builtin %.1f", words, builtin)
	if builtin < words+12 {
		t.Errorf("builtin %.1f is not 12 points above bm25 %.1f on average", builtin, words)
	}
}
