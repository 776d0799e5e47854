package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWhatKilledChecksLeftIsRemoved leaves folders like a killed check: one a
// day old, one that may be in use, and an unrelated one.
func TestWhatKilledChecksLeftIsRemoved(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	for name, age := range map[string]time.Duration{checkPrefix + "old": 2 * staleAfter, checkPrefix + "new": 0, "other": 2 * staleAfter} {
		dir, then := filepath.Join(sh.data, name), time.Now().Add(-age)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	sh.must(t, "fsck")
	for name, stays := range map[string]bool{checkPrefix + "old": false, checkPrefix + "new": true, "other": true} {
		if _, err := os.Stat(filepath.Join(sh.data, name)); (err == nil) != stays {
			t.Errorf("%s: %v, want it to stay: %t", name, err, stays)
		}
	}
}
