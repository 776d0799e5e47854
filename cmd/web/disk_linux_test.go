package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestADiskThatFillsUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("A full disk is not tried, since a small file system can't be mounted here: %v.", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	sh := shell{data: filepath.Join(dir, "data")}
	out, err := sh.run(t, "ingest", "--json", file(t, t.TempDir(), "large.txt", strings.Repeat("Maud Ferring met Anna Quill. ", 200_000)))
	if err == nil {
		t.Fatalf("no error, printed %s", out)
	}
	if lines := decoded[ingested](t, out); len(lines) != 1 || !strings.Contains(lines[0].Problem, "disk that holds the data folder is full") {
		t.Errorf("printed %s", out)
	}
	if left, err := os.ReadDir(filepath.Join(sh.data, "files", "incoming")); err != nil || len(left) > 0 {
		t.Errorf("half-written: %v, %v", left, err)
	}
	sh.must(t, "ingest", file(t, t.TempDir(), "small.txt", "Maud Ferring met Anna Quill."))
}
