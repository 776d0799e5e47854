package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/clewhq/clew/internal/config"
)

// checkPrefix begins the names of the folders with the stores that a check compares with.
const checkPrefix = "clew-check-"

// checkFolder returns the parent of those folders: the data folder, or the system's temporary folder if there is none.
func (a *app) checkFolder() string {
	if a.cfg.Stores() == config.Fleet {
		return os.TempDir()
	}
	return a.cfg.Data
}

// staleAfter is the age at which such a folder belongs to a killed process.
const staleAfter = 24 * time.Hour

// removeStaleChecks removes the folders of killed checks.
func (a *app) removeStaleChecks() error {
	left, err := filepath.Glob(filepath.Join(a.checkFolder(), checkPrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && a.env.now().Sub(info.ModTime()) > staleAfter {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
