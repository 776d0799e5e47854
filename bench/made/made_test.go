package made

import (
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

func TestDocumentsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	title, content := Document(7, 100)
	if again, same := Document(7, 100); again != title || same != content || !strings.Contains(content, title) || strings.Contains(content, "%!") {
		t.Errorf("%s: %s", title, content)
	}
}
