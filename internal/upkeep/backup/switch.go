package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A restore builds the new state of a data folder in a subfolder. Until that is
// marked complete the old state is untouched; from then on the new state is valid,
// and the next process that opens the folder finishes an interrupted switch.
const (
	staged   = "restored"
	complete = "COMPLETE"
)

// Stage creates an empty folder for a new state within a data folder, removing
// what a killed process left.
func Stage(data string) (string, error) {
	dir := filepath.Join(data, staged)
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("clear %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make %s: %w", dir, err)
	}
	return dir, nil
}

// Unstage removes a new state that is not complete.
func Unstage(data string) error {
	dir := filepath.Join(data, staged)
	if _, err := os.Stat(filepath.Join(dir, complete)); err == nil {
		return nil
	}
	return os.RemoveAll(dir)
}

// Commit makes the new state durable and marks it complete.
func Commit(data string) error {
	dir := filepath.Join(data, staged)
	if err := Durable(dir); err != nil {
		return fmt.Errorf("make the restored state durable: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, complete), nil, 0o600); err != nil {
		return fmt.Errorf("mark the restored state complete: %w", err)
	}
	return syncPath(dir)
}

// Durable has all that a folder contains on disk. A folder that is missing contains nothing.
func Durable(dir string) error {
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Switch replaces the old state of a data folder by a complete new one, and reports
// whether there was one. It may be interrupted anywhere and called again. Nobody
// may have the folder's databases open. database is the ledger's file, projections
// are the files that are rebuilt from it.
func Switch(data, database string, projections ...string) (bool, error) {
	dir := filepath.Join(data, staged)
	if _, err := os.Stat(filepath.Join(dir, complete)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("look for a restored state: %w", err)
	}
	if err := change(data, dir, database, projections); err != nil {
		return false, fmt.Errorf("put the restored state in place: %w", err)
	}
	if err := os.Remove(filepath.Join(dir, complete)); err != nil {
		return false, fmt.Errorf("put the restored state in place: %w", err)
	}
	return true, os.RemoveAll(dir)
}

func change(data, dir, database string, projections []string) error {
	if exists(filepath.Join(dir, database)) {
		var old []string
		for _, name := range projections {
			old = append(old, name, name+"-wal", name+"-shm")
		}
		// SQLite would replay the old log into the new file.
		for _, name := range append(old, database+"-wal", database+"-shm") {
			if err := os.Remove(filepath.Join(data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := os.Rename(filepath.Join(dir, database), filepath.Join(data, database)); err != nil {
			return err
		}
	}
	fresh, files, old := filepath.Join(dir, "files"), filepath.Join(data, "files"), filepath.Join(dir, "old")
	if exists(fresh) {
		if exists(files) {
			if err := os.Rename(files, old); err != nil {
				return err
			}
		}
		if err := os.Rename(fresh, files); err != nil {
			return err
		}
	}
	return syncPath(data)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
