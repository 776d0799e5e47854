package backup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/upkeep/backup"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// library returns a data folder whose files name the state they belong to.
func library(t *testing.T, state string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"clew.db", "clew.db-wal", "graph.db", "graph.db-wal", "vectors.db", "files/61/aa"} {
		put(t, filepath.Join(dir, name), state)
	}
	return dir
}

func check(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, state := range want {
		if got := content(t, filepath.Join(dir, name)); got != state {
			t.Errorf("got %s = %q, want %q", name, got, state)
		}
	}
}

var (
	oldState = map[string]string{"clew.db": "old", "clew.db-wal": "old", "graph.db": "old", "vectors.db": "old", "files/61/aa": "old"}
	newState = map[string]string{"clew.db": "new", "clew.db-wal": "", "graph.db": "", "graph.db-wal": "", "vectors.db": "", "files/61/aa": "", "files/62/bb": "new", "restored": ""}
)

func staged(t *testing.T, data string) {
	t.Helper()
	dir, err := backup.Stage(data)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "clew.db"), "new")
	put(t, filepath.Join(dir, "files", "62", "bb"), "new")
}

func change(t *testing.T, data string) bool {
	t.Helper()
	changed, err := backup.Switch(data, "clew.db", "graph.db", "vectors.db")
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestSwitchNeedsACompleteState(t *testing.T) {
	t.Parallel()
	data := library(t, "old")
	staged(t, data)
	if change(t, data) {
		t.Error("the switch accepted an incomplete state")
	}
	check(t, data, oldState)
	if err := backup.Commit(data); err != nil {
		t.Fatal(err)
	}
	check(t, data, oldState)
	if err := backup.Unstage(data); err != nil {
		t.Fatal(err)
	}
	if !change(t, data) {
		t.Error("the switch refused a complete state")
	}
	check(t, data, newState)
	if change(t, data) {
		t.Error("the same state was switched in twice")
	}
}

// TestInterruptedSwitchIsFinished recreates the folder as each step of the
// switch leaves it, and switches again.
func TestInterruptedSwitchIsFinished(t *testing.T) {
	t.Parallel()
	steps := []func(data string) error{
		func(data string) error { return os.Remove(filepath.Join(data, "graph.db")) },
		func(data string) error { return os.Remove(filepath.Join(data, "clew.db-wal")) },
		func(data string) error {
			for _, name := range []string{"graph.db-wal", "vectors.db"} {
				if err := os.Remove(filepath.Join(data, name)); err != nil {
					return err
				}
			}
			return os.Rename(filepath.Join(data, "restored", "clew.db"), filepath.Join(data, "clew.db"))
		},
		func(data string) error {
			return os.Rename(filepath.Join(data, "files"), filepath.Join(data, "restored", "old"))
		},
		func(data string) error {
			return os.Rename(filepath.Join(data, "restored", "files"), filepath.Join(data, "files"))
		},
	}
	for done := range len(steps) + 1 {
		data := library(t, "old")
		staged(t, data)
		if err := backup.Commit(data); err != nil {
			t.Fatal(err)
		}
		for _, step := range steps[:done] {
			if err := step(data); err != nil {
				t.Fatal(err)
			}
		}
		if !change(t, data) {
			t.Errorf("after %d steps the switch is not finished", done)
		}
		check(t, data, newState)
	}
}
