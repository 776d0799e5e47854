package documents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

func files(t *testing.T) (*documents.Files, string) {
	t.Helper()
	dir := t.TempDir()
	f, err := documents.NewFiles(dir, time.Now())
	testkit.Must(t, err)
	return f, dir
}

// stored lists the files under dir.
func stored(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	testkit.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

func TestFolder(t *testing.T) {
	t.Parallel()
	testStore(t, func(t *testing.T) (documents.FileStore, func() int) {
		f, dir := files(t)
		return f, func() int { return len(stored(t, dir)) }
	})
}

func TestAFileInPlaceOfTheFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "files")
	testkit.Must(t, os.WriteFile(path, nil, 0o600))
	if _, err := documents.NewFiles(path, time.Now()); err == nil {
		t.Error("a file was accepted as the folder of files")
	}
}

func TestFilesOfAKilledProcessAreRemovedAfterADay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	incoming := filepath.Join(dir, "incoming")
	testkit.Must(t, os.MkdirAll(incoming, 0o700))
	left := filepath.Join(incoming, "half")
	testkit.Must(t, os.WriteFile(left, []byte("half a f"), 0o600))
	for _, tt := range []struct {
		later time.Duration
		kept  bool
	}{{time.Minute, true}, {25 * time.Hour, false}} {
		if _, err := documents.NewFiles(dir, time.Now().Add(tt.later)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); (err == nil) != tt.kept {
			t.Errorf("%s later: got kept %t, want %t", tt.later, err == nil, tt.kept)
		}
	}
}
