package measure

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/testkit/long"
)

// TestEntitiesThatAreTheSameAreFound holds the figures of docs/resolution.md, on
// one set of passages, or with CLEW_LONG on all.
func TestEntitiesThatAreTheSameAreFound(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "shared", "data", "multihop")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("left out: there is no %s", root)
	}
	dir := long.Or(filepath.Join(root, "hotpotqa"), root)
	for _, half := range []string{Tuned, HeldOut} {
		x, err := Resolution(new(builtin.Miner).Mine, dir, half, Bars{Propose: 0.5, Merge: 0.95}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: precision %.3f, recall by rule %.3f, with proposals %.3f, precision of proposals %.3f", half, x.Precision, x.RuleRecall, x.Recall, x.QueuePrecision)
		if x.Precision < 0.98 || x.Recall < 0.90 {
			t.Errorf("%s: precision %.3f and recall %.3f, want 0.98 and 0.90; wrong: %q", half, x.Precision, x.Recall, x.Wrong)
		}
		for _, k := range x.Kinds {
			if k.Same && k.Pairs > 20 && float64(k.Merged+k.Queued) < 0.7*float64(k.Pairs) {
				t.Errorf("%s: of %d pairs %s only %d are found", half, k.Pairs, k.Kind, k.Merged+k.Queued)
			}
		}
	}
}
