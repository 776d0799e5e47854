//go:build faults

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/long"
)

// TestFaultKilledWhileAWorkspaceIsAdded kills the restore of a workspace into a library: that is as it was, or has all of it, and
// the same command can be run again.
func TestFaultKilledWhileAWorkspaceIsAdded(t *testing.T) {
	t.Parallel()
	from, to := newShell(t), newShell(t)
	from.must(t, append([]string{"ingest"}, fifty(t, 12)[:12]...)...)
	_, bridgeFile := letters(t)
	to.must(t, "ingest", bridgeFile)
	moved, before := contentsOf(t, from.data), contentsOf(t, to.data)
	archive, whole := filepath.Join(t.TempDir(), "one.tar.zst"), filepath.Join(t.TempDir(), "all.tar.zst")
	from.must(t, "backup", "--workspace", "library", archive)
	to.must(t, "backup", whole)
	afresh := func() {
		noError(t, os.RemoveAll(to.data))
		to.must(t, "restore", whole)
	}
	to.killedAt(t, long.Or(3, 8), afresh, func() {
		a := to.app(t)
		if diff := cmp.Diff(before, contentsIn(t, a)); diff != "" {
			t.Errorf("what was there: -before +after\n%s", diff)
		}
		_, err := a.ledger.WorkspaceNamed(t.Context(), "county")
		if err == nil {
			noError(t, a.catchUp(t.Context()))
		} else if domain.KindOf(err) == domain.NotFound {
			noError(t, importedHere(t, to, archive))
		}
		if diff := cmp.Diff(moved, contentsNamed(t, a, "county"), inWorkspace); diff != "" {
			t.Errorf("added: -moved +here\n%s", diff)
		}
	}, "restore", "--as", "county", archive)
}

func importedHere(t *testing.T, to shell, archive string) error {
	t.Helper()
	_, err := to.run(t, "restore", "--as", "county", archive)
	return err
}
