package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/clewhq/clew/internal/backup"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/maintenance"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/vectorstore"
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

func (a *app) openMaintenance(context.Context) (err error) {
	a.maintenance, err = maintenance.New(maintenance.Params{
		DB: a.db.Reader, SQLite: a.db.dialect == backup.SQLite, Ledger: a.ledger, Files: a.files, Library: a.documents, Projector: a.projector,
		Vectors: a.vectors, Embedder: a.models.embedder, AtOnce: a.cfg.Model.Concurrency, ProjectTo: func(index vectorstore.Index) *projection.Projector { return a.projectorOver(a.graph, index) },
		Queue: a.queue, Threads: a.threads, Codec: checkpoint.NewCodec(), EmptyStores: a.emptyStores,
		IDs: a.env.ids(), Now: a.env.now,
	})
	return errors.Join(err, a.removeStaleChecks())
}

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
