package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// TestTheTrailKeepsWhatCommandsByHandDo runs the commands that are written by hand.
func TestTheTrailKeepsWhatCommandsByHandDo(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	from := 0
	said := func(args ...string) string {
		t.Helper()
		out, err := sh.run(t, args...)
		noError(t, err)
		var rows []audit.Row
		noError(t, json.Unmarshal([]byte(sh.must(t, "audit", "list", "--everywhere", "--json", "--limit", "200")), &rows))
		slices.Reverse(rows)
		var deeds []string
		for _, r := range rows[from:] {
			if r.Result != audit.Done || r.Person == "" || r.Action != "fsck" && strings.Contains(r.Thing+r.How, ".txt") {
				t.Errorf("clew %s: %+v\n%s", strings.Join(args, " "), r, out)
			}
			if strings.HasPrefix(r.Action, "documents ") && !operation.IsID(strings.Split(r.Thing, ",")[0]) {
				t.Errorf("clew %s is about %q", strings.Join(args, " "), r.Thing)
			}
			deeds = append(deeds, r.Action)
		}
		from = len(rows)
		return strings.Join(deeds, ", ")
	}
	folder := filepath.Join(dir, "letters")
	foundryFile, bridgeFile := letters(t)
	file(t, folder, "a.txt", foundry)
	watch := []string{"watch", folder, "--once", "--settle", "0s"}
	backup := filepath.Join(dir, "one.tar.zst")
	for _, step := range []struct {
		before func()
		args   []string
		want   string
	}{
		{nil, watch, "ingest"},
		{nil, watch, ""},
		{func() { noError(t, os.Rename(filepath.Join(folder, "a.txt"), filepath.Join(folder, "b.txt"))) }, watch, "documents rename"},
		{func() { file(t, folder, "b.txt", foundry+"Maud Ferring was born in Velm.\n") }, watch, "ingest"},
		{func() { noError(t, os.Remove(filepath.Join(folder, "b.txt"))) }, append(slices.Clone(watch), "--delete-many"), "documents delete"},
		{nil, []string{"ingest", foundryFile, bridgeFile}, "ingest"},
		{nil, []string{"ingest", foundryFile}, ""},
		{nil, []string{"summarize", "bridge.md"}, "summarize"},
		{nil, []string{"documents", "schema", "bridge.md", "minutes"}, "documents schema"},
		{nil, []string{"schema", "use", "minutes"}, "schema use"},
		{nil, []string{"schema", "apply"}, "schema apply"},
		{nil, []string{"model", "again"}, "model again"},
		{nil, []string{"fsck"}, "fsck"},
		{nil, []string{"rebuild"}, "rebuild"},
		{nil, []string{"backup", "--workspace", "library", backup}, "backup"},
		{nil, []string{"ask", "Who built the Velm Bridge?"}, ""},
	} {
		if step.before != nil {
			step.before()
		}
		if got := said(step.args...); got != step.want {
			t.Errorf("of clew %s the trail says %q, want %q", strings.Join(step.args, " "), got, step.want)
		}
	}
	sh = newShell(t)
	from = 0
	if got := said("restore", "--as", "county", backup); got != "restore" {
		t.Errorf("of a restored workspace the trail says %q", got)
	}
}

// TestTheTrailHasWhatFailsInAFolder makes changes of a folder that is followed fail.
func TestTheTrailHasWhatFailsInAFolder(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	l, ctx := watchLibrary{app: sh.app(t)}, domain.WithWorkspace(t.Context(), domain.DefaultWorkspace)
	const gone = "d0123456789abcdef0123"
	if err := l.Rename(ctx, gone, "b.txt"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("rename what is gone: %v", err)
	}
	if _, err := l.Add(ctx, filepath.Join(t.TempDir(), "gone.txt"), "gone.txt"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("add a file that is gone: %v", err)
	}
	l.note(ctx, "ingest", domain.Errorf(domain.TooMany, "The queue is full.")) // it is tried again
	l.note(ctx, "ingest", domain.Errorf(domain.Unavailable, "The database is away."))
	out := sh.must(t, "audit", "list", "--everywhere")
	if strings.Contains(out, "ingest") || !strings.Contains(out, "documents rename") || !strings.Contains(out, gone) || !strings.Contains(out, "refused") || strings.Contains(out, "gone.txt") {
		t.Errorf("the trail says\n%s", out)
	}
}
