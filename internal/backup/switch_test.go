package backup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/backup"
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

// library is a data folder whose files say which state they belong to.
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
			t.Errorf("%s is %q, want %q", name, got, state)
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

func TestOnlyACompleteStateTakesThePlaceOfTheOld(t *testing.T) {
	t.Parallel()
	data := library(t, "old")
	staged(t, data)
	if change(t, data) {
		t.Error("an incomplete state was put in place")
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
		t.Error("the complete state was not put in place")
	}
	check(t, data, newState)
	if change(t, data) {
		t.Error("it was put in place twice")
	}
}

// TestASwitchThatIsCutOffIsFinished makes the folder as it is after each of the
// switch's steps, and switches again.
func TestASwitchThatIsCutOffIsFinished(t *testing.T) {
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
			t.Errorf("after %d steps it is not finished", done)
		}
		check(t, data, newState)
	}
}
