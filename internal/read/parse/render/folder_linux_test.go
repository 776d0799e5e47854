package render

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSweep removes the folder of a killed process, and not one in which a program draws, nor what only has such a name.
func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	left, other, elsewhere := filepath.Join(os.TempDir(), "clew-render-1"), filepath.Join(os.TempDir(), "clew-parse-1"), t.TempDir()
	err := errors.Join(os.Mkdir(left, 0o700), os.WriteFile(filepath.Join(left, "file.pdf"), []byte("a copy"), 0o600), os.Mkdir(other, 0o700),
		os.WriteFile(filepath.Join(elsewhere, "a.txt"), nil, 0o600), os.Symlink(elsewhere, filepath.Join(os.TempDir(), "clew-render-2")))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	err = tool{log: log}.within("file.pdf", strings.NewReader("another"), 7, func(f folder) error {
		Sweep(log)
		_, err := os.Stat(filepath.Join(f.path, "file.pdf"))
		return err
	})
	if err != nil {
		t.Errorf("the folder of a running process: %v", err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of a killed process: %v", err)
	}
	for _, path := range []string{other, filepath.Join(elsewhere, "a.txt")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if rest, _ := filepath.Glob(filepath.Join(os.TempDir(), "clew-render-*")); len(rest) != 1 {
		t.Errorf("%q are left", rest)
	}
}
