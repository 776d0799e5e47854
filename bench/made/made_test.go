package made

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

func TestSetsAreMadeWhereThereAreNone(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	set, err := Set(t.TempDir(), "real", cache)
	if err != nil || set != filepath.Join(cache, "made") {
		t.Fatalf("%s, %v", set, err)
	}
	if again, err := Sets(cache, t.TempDir()); err != nil || again != cache {
		t.Errorf("the folder with the made set is not used: %s, %v", again, err)
	}
}

func TestSentencesAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	sentence := func() string { return Sentence(rand.New(rand.NewPCG(7, 7)), Person(7), 100, 0) }
	if got := sentence(); got != sentence() || strings.Contains(got, "%!") {
		t.Error(got)
	}
}
