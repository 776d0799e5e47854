package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	emptydb "github.com/clewhq/clew/internal/testkit/database"
)

// TestADeletedWorkspaceIsRemovedForGood deletes a workspace, and opens the library after a day.
func TestADeletedWorkspaceIsRemovedForGood(t *testing.T) {
	t.Parallel()
	sh, in := twoWorkspaces(t)
	in("ask", "Who built the Velm Bridge?")
	in("summarize", "bridge.md")
	in("watch", filepath.Dir(file(t, t.TempDir(), "mill.txt", "Ada Pell ran the Velm Mill.")), "--once", "--settle", "0s")
	in("token", "create", "there")
	sh.must(t, "workspace", "delete", "archive", "--yes")
	if _, err := sh.run(t, "documents", "list", "--workspace", "archive"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a deleted workspace: %v", err)
	}
	purged := func(after time.Duration) {
		t.Helper()
		s, _, _ := sh.env()
		s.now = func() time.Time { return time.Now().Add(after) }
		cfg, err := s.load("")
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(t.Context(), cfg, s)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := a.purge().CarryOut(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.documents.ScrubDisk(t.Context(), 1<<20)
	}
	purged(23 * time.Hour)
	sh.must(t, "workspace", "restore", "archive")
	if out := in("documents", "list"); !strings.Contains(out, "bridge.md") || !strings.Contains(out, "mill.txt") {
		t.Errorf("restored is\n%s", out)
	}
	sh.must(t, "workspace", "delete", "archive", "--yes")
	purged(25 * time.Hour)
	if out := sh.must(t, "audit", "list", "--everywhere", "--action", "workspace purge"); !strings.Contains(out, "archive") {
		t.Errorf("the trail says %q", out)
	}
	if out := sh.must(t, "workspace", "list"); strings.Contains(out, "archive") {
		t.Errorf("the workspaces are\n%s", out)
	}
	if _, err := sh.run(t, "workspace", "restore", "archive"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("restored after a day: %v", err)
	}
	db := emptydb.Open(t, filepath.Join(sh.data, "clew.db"))
	for _, table := range column(t, db.Reader, `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'workspace_id' ORDER BY m.name`) {
		if left := column(t, db.Reader, `SELECT COUNT(*) FROM `+table+` WHERE workspace_id <> 'default'`); left[0] != "0" {
			t.Errorf("%s has %s rows of other workspaces", table, left[0])
		}
	}
	err := filepath.WalkDir(sh.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, word := range []string{"Quennell", "Ada Pell"} {
			if strings.Contains(string(b), word) {
				t.Errorf("%s still has the word %s", path, word)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if out := sh.must(t, "ask", "Who founded the Carrow Foundry?"); !strings.Contains(out, "Ferring") {
		t.Errorf("the library answers %s", out)
	}
	sh.must(t, "fsck")
	if out := sh.must(t, "workspace", "add", "Archive"); !strings.Contains(out, "archive") {
		t.Errorf("the name is not free again: %s", out)
	}
}
