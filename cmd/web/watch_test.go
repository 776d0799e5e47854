package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit/race"
)

// shows waits until a screen holds a text behind what was seen of it before, and returns
// how far that is.
func (s *screen) shows(t *testing.T, from int, text string) int {
	t.Helper()
	for deadline := time.Now().Add(hangs); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if all := s.String(); strings.Contains(all[from:], text) {
			return from + strings.Index(all[from:], text) + len(text)
		}
	}
	t.Fatalf("waited for %q in %q", text, s.String()[from:])
	return 0
}

// names lists the documents by their names, with their versions.
func (sh shell) names(t *testing.T) map[string]int {
	t.Helper()
	a := sh.app(t)
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	noError(t, a.Close())
	names := map[string]int{}
	for _, d := range docs {
		names[d.Name] = d.Version + 1
	}
	return names
}

// TestWatchFollowsAFolder changes a folder while the command runs, and while it does
// not.
func TestWatchFollowsAFolder(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	dir := filepath.Join(t.TempDir(), "letters")
	file(t, dir, "a.txt", foundry)
	file(t, dir, "old/b.txt", bridge)
	file(t, dir, "picture.txt", "\x89PNG\r\n\x1a\n\x00\x00")
	s, out, stderr := sh.env()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		root := program(s)
		root.SetArgs([]string{"watch", "--settle", "50ms", "--every", "1h", dir})
		ended <- root.ExecuteContext(ctx)
	}()
	out.shows(t, 0, "letters/a.txt: ready, 1 chunk")
	out.shows(t, 0, "letters/old/b.txt: ready, 1 chunk")
	at := out.shows(t, 0, "letters/picture.txt: refused. This file is called .txt but looks like an image, not like plain text")
	stderr.shows(t, 0, "Documents of deleted files are deleted.")

	file(t, dir, "a.txt", foundry+" Later it closed.")
	out.shows(t, at, "letters/a.txt: changed")
	at = out.shows(t, at, "letters/a.txt: ready")
	noError(t, os.Mkdir(filepath.Join(dir, "new"), 0o700))
	noError(t, os.Rename(filepath.Join(dir, "old", "b.txt"), filepath.Join(dir, "new", "c.txt")))
	at = out.shows(t, at, "letters/new/c.txt: moved from letters/old/b.txt")
	file(t, dir, "new/d.txt", "Berta Quill met Maud Ferring.") // in a folder that is new
	at = out.shows(t, at, "letters/new/d.txt: ready")
	noError(t, os.Remove(filepath.Join(dir, "a.txt")))
	out.shows(t, at, "letters/a.txt: deleted")
	stop()
	if err := <-ended; err != nil {
		t.Fatalf("stopped: %v", err)
	}
	if diff := cmp.Diff(map[string]int{"letters/new/c.txt": 1, "letters/new/d.txt": 1}, sh.names(t)); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}

	file(t, dir, "new/d.txt", "Berta Quill met Maud Ferring twice.")
	noError(t, os.Remove(filepath.Join(dir, "new", "c.txt")))
	var got []string
	for _, w := range decoded[[]watchedLine](t, sh.must(t, "watch", "--once", "--settle", "10ms", "--keep-deleted", "--json", dir)) {
		got = append(got, w.Name+" "+w.Change+" "+w.Status)
	}
	if diff := cmp.Diff([]string{"letters/new/d.txt changed ", "letters/new/c.txt kept ", "letters/new/d.txt read ready"}, got); diff != "" {
		t.Errorf("once (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"letters/new/c.txt": 1, "letters/new/d.txt": 2}, sh.names(t)); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}
	noError(t, os.RemoveAll(filepath.Join(dir, "new")))
	noError(t, os.Remove(filepath.Join(dir, "picture.txt")))
	if out := sh.must(t, "watch", "--once", "--settle", "10ms", dir); !strings.Contains(out, "so nothing is deleted") || len(sh.names(t)) != 2 {
		t.Errorf("of an empty folder the command says %q, and %v are left", out, sh.names(t))
	}
	if _, err := sh.run(t, "watch", filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// watchedLine is an element of clew watch --json with the members that a test reads.
type watchedLine struct {
	watched
	Document  string   `json:"document"`
	Status    string   `json:"status"`
	Chunks    int      `json:"chunks"`
	Entities  int      `json:"entities"`
	Relations int      `json:"relations"`
	Warnings  []string `json:"warnings"`
	Schema    int64    `json:"schema"`
	Problem   string   `json:"problem"`
}
