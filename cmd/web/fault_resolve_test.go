//go:build faults

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/testkit/long"
)

// TestFaultKilledWhileEntitiesAreCompared kills a comparison that merges twenty
// entities by rule. The next one leaves what an undisturbed one does.
func TestFaultKilledWhileEntitiesAreCompared(t *testing.T) {
	t.Parallel()
	unmatched, dir := newShell(t, "RESOLVE_MERGE=1", "RESOLVE_PROPOSE=1"), t.TempDir()
	sh := newShell(t)
	sh.data = unmatched.data
	var plain, titled strings.Builder
	for family := range strings.FieldsSeq("Ardley Brandreth Corvel Dunmore Eskdale Farnley Garside Hexham Ilkley Jarrow Kestle Lovibond Marrow Norbury Oakes Pellham Quayle Rushton Selby Tarnwick") {
		fmt.Fprintf(&plain, "Edda %s lived in Velm.\n\n", family)
		fmt.Fprintf(&titled, "Captain Edda %s lived in Velm.\n\nE. %s wrote.\n\n", family, family)
	}
	unmatched.must(t, "ingest", file(t, dir, "plain.txt", plain.String()), file(t, dir, "titled.txt", titled.String()))
	archive := filepath.Join(t.TempDir(), "archive")
	sh.must(t, "backup", archive)
	left := func() string {
		return sh.must(t, "entities", "list", "--limit", "0") + sh.must(t, "entities", "proposals", "--limit", "0")
	}
	before := left()
	sh.must(t, "entities", "resolve")
	want := left()
	if strings.Count(before, "\n") < strings.Count(want, "\n")/2+10 || before == want {
		t.Fatalf("a comparison merges too little: before\n%s\nafter\n%s", before, want)
	}
	sh.killedAt(t, long.Or(3, 12), func() { sh.must(t, "restore", "--force", archive) }, func() {
		sh.must(t, "entities", "resolve")
		if diff := cmp.Diff(want, left()); diff != "" {
			t.Errorf("after a killed comparison and another -undisturbed +got\n%s", diff)
		}
		sh.must(t, "fsck")
	}, "entities", "resolve")
}
