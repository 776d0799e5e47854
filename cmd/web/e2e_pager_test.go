//go:build e2e

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestThePagerCountsTheRowsThatCome adds documents by a command while the list is open, to an empty library and to one
// that has some: the line below the list counts the rows that are there. Nothing failed, so nothing is offered to retry.
func TestThePagerCountsTheRowsThatCome(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	b := newBrowser(t, startOn(t, sh.data), 1440)
	b.open("/documents")
	rows := 0
	for _, more := range []int{2, 3} {
		for range more {
			rows++
			sh.must(t, "ingest", lowNote(t, rows))
		}
		n := strconv.Itoa(rows)
		b.until(`document.querySelectorAll("#rows > .doc").length === ` + n + ` && document.querySelector('[data-testid="shown"]')?.checkVisibility() && document.querySelector('[data-testid="shown"]').textContent === "1 to ` + n + ` of ` + n + `"`)
	}
	b.until(`document.querySelectorAll("#rows [data-status=ready]").length === 5`)
	if b.count(sel("look")) != 0 || b.count(sel("retry-failed")) != 0 {
		t.Error("documents that name nobody are to be looked at, or retried")
	}
	b.open("/documents")
	if shown := b.text(sel("shown")); shown != "1 to 5 of 5" {
		t.Errorf("loaded again, the pager says %q", shown)
	}
	b.quiet()
}

// lowNote writes a file that names nobody and nothing.
func lowNote(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "n"+strconv.Itoa(n)+".txt")
	noError(t, os.WriteFile(path, []byte(strconv.Itoa(n)+" of these are blue and small.\n"), 0o600))
	return path
}
