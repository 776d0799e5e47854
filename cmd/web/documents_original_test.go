package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheOriginalOfADocument(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", foundry))
	if out := sh.must(t, "documents", "original", "foundry.txt"); out != foundry {
		t.Errorf("got %q", out)
	}
	to := filepath.Join(t.TempDir(), "copy.txt")
	sh.must(t, "documents", "original", "foundry.txt", "-o", to)
	if copied, err := os.ReadFile(to); err != nil || string(copied) != foundry {
		t.Errorf("got %q, %v", copied, err)
	}
	if _, err := sh.run(t, "documents", "original", "bridge.txt"); err == nil {
		t.Error("a document that is not there has an original")
	}
	if _, err := sh.run(t, "documents", "original", "foundry.txt", "-o", t.TempDir()); err == nil {
		t.Error("a folder was written")
	}
}
