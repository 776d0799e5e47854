package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "list.yaml")
	wants := func(when, want string, files int) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s it holds %q, want %q; error %v", when, got, want, err)
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != files {
			t.Errorf("%s the folder holds %v, error %v", when, all, err)
		}
	}
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	wants("at first", "one", 1)
	refused := errors.New("no more")
	err := Write(path, func(w io.Writer) error {
		left, err := filepath.Glob(Unfinished(path))
		if err != nil || len(left) != 1 {
			t.Errorf("unfinished are %q, error %v", left, err)
		}
		return errors.Join(text("half")(w), refused)
	})
	if !errors.Is(err, refused) {
		t.Errorf("got the error %v", err)
	}
	wants("after an error", "one", 1)
	if err := Write(path, text("two")); err != nil {
		t.Fatal(err)
	}
	wants("replaced", "two", 1)
	if err := Write(filepath.Join(dir, "none", "file"), text("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is missing: %v", err)
	}
}
