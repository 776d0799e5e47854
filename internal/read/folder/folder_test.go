package folder_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/folder"
)

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWalk checks that hidden files, links and the data folder of a library are left out.
func TestWalk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b.txt", "a/c.txt", ".git/d.txt", ".e.txt", "data/clew.db", "data/files/f"} {
		write(t, filepath.Join(dir, name))
	}
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := folder.Walk(os.DirFS(dir), func(name string, _ fs.DirEntry, err error) error {
		got = append(got, name)
		return err
	})
	if diff := cmp.Diff([]string{".", "a", "a/c.txt", "b.txt"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := folder.Walk(os.DirFS(filepath.Join(dir, "none")), func(_ string, _ fs.DirEntry, err error) error { return err }); err == nil {
		t.Error("a folder that is not there is walked")
	}
}

// TestABellRings waits for changes in a folder, in one that comes later, and for what is no change.
func TestABellRings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bell, err := folder.NewBell()
	if err != nil {
		t.Fatal(err)
	}
	defer bell.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const calm, long, short = 20 * time.Millisecond, time.Minute, 50 * time.Millisecond
	listen := func() { bell.Listen(root.Name(), root.FS()) }
	rings := func(when string, most time.Duration, want bool) {
		t.Helper()
		if rang := bell.Wait(t.Context(), calm, most); rang != want {
			t.Errorf("%s: rang %v, want %v", when, rang, want)
		}
	}
	listen()
	rings("nothing changes", short, false)
	write(t, filepath.Join(dir, "a.txt"))
	rings("a file is added", long, true)
	write(t, filepath.Join(dir, ".a.txt.part"))
	rings("a hidden file is added", short, false)
	write(t, filepath.Join(dir, "new", "b.txt"))
	rings("a folder is added", long, true)
	listen()
	for bell.Wait(t.Context(), calm, short) { // what happened meanwhile
	}
	write(t, filepath.Join(dir, "new", "c.txt"))
	rings("a file is added in it", long, true)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if bell.Wait(ended, calm, long) {
		t.Error("it rings after its context has ended")
	}
	if deaf := (folder.Bell{}); deaf.Hears() || deaf.Wait(t.Context(), calm, short) {
		t.Error("a bell rings that nothing is reported to")
	}
}
