package measure

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden figures of the development sets")

// atFive is the recall@5, in percent, that the default method must reach on each
// development set: that of a reference without a model.
var atFive = map[string]float64{"musique_openie": 74.7, "musique_dev": 64.0, "2wiki": 85.9, "hotpotqa": 88.5}

// The figures of the development sets change only with the reason for it: what
// finds more there must say so in the golden file.
func TestRecallOnRealQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of short runs: it ingests 4,500 passages")
	}
	root := filepath.Join("..", "..", "..", "shared", "data", "multihop")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("left out: there is no %s", root)
	}
	var figures strings.Builder
	var words, builtin float64
	for _, name := range []string{"musique_openie", "musique_dev", "2wiki", "hotpotqa"} {
		scores, err := Retrieval(t.Context(), params(t), filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]Score{}
		for _, s := range scores {
			by[s.Method] = s
			fmt.Fprintf(&figures, "%-14s %-7s R@2 %.1f R@5 %.1f MRR %.3f\n", name, s.Method, 100*s.Recall2, 100*s.Recall5, s.MRR)
			t.Logf("%s %s: half of the searches within %.1f ms, 95 of 100 within %.1f", name, s.Method, s.P50, s.P95)
		}
		if got := 100 * by["default"].Recall5; got < atFive[name] {
			t.Errorf("%s: default reaches %.1f, want %.1f", name, got, atFive[name])
		}
		for _, single := range []string{"bm25", "dense", "hybrid"} {
			if by["default"].MRR < by[single].MRR {
				t.Errorf("%s: the MRR of default, %.3f, is below that of %s, %.3f", name, by["default"].MRR, single, by[single].MRR)
			}
		}
		if by["builtin"].Recall5 < by["bm25"].Recall5 {
			t.Errorf("%s: builtin %.3f is below bm25 %.3f", name, by["builtin"].Recall5, by["bm25"].Recall5)
		}
		words += 25 * by["bm25"].Recall5
		builtin += 25 * by["builtin"].Recall5
	}
	with := params(t)
	openie, err := WithTriples(filepath.Join(root, "musique_openie"), with.Mine)
	if err != nil {
		t.Fatal(err)
	}
	with.Mine = openie
	scores, err := Retrieval(t.Context(), with, filepath.Join(root, "musique_openie"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores[3:] {
		fmt.Fprintf(&figures, "with triples   %-7s R@2 %.1f R@5 %.1f MRR %.3f\n", s.Method, 100*s.Recall2, 100*s.Recall5, s.MRR)
	}
	if builtin < words+12 {
		t.Errorf("builtin %.1f is not 12 points above bm25 %.1f on average", builtin, words)
	}
	golden := filepath.Join("testdata", "retrieval.golden")
	if *rewrite {
		if err := os.WriteFile(golden, []byte(figures.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(figures.String(), "\n")); diff != "" {
		t.Errorf("figures (-want +got), go test ./measure -run RealQuestions -rewrite accepts them\n%s", diff)
	}
}
