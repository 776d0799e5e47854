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
)

// checking begins the names of the folders that checks compare with.
const checking = "clew-check-"

// checkFolder is where they are: in the data folder, or among the system's
// temporary files where there is none.
func (a *app) checkFolder() string {
	if a.cfg.Stores() == config.Fleet {
		return os.TempDir()
	}
	return a.cfg.Data
}

// abandoned is the age at which such a folder belongs to a killed process.
const abandoned = 24 * time.Hour

func (a *app) openUpkeep(context.Context) (err error) {
	a.maintenance, err = maintenance.New(maintenance.Params{
		DB: a.db.Reader, SQLite: a.db.dialect == backup.SQLite, Ledger: a.ledger, Files: a.files, Library: a.documents, Projector: a.projector,
		Vectors: a.vectors, Embedder: a.models.embedder, AtOnce: a.cfg.Model.Concurrency, Over: a.over,
		Queue: a.queue, Threads: a.threads, Codec: checkpoint.NewCodec(), Fresh: a.fresh,
		IDs: a.s.ids(), Now: a.s.now,
	})
	return errors.Join(err, a.sweep())
}

// sweep removes what killed checks left behind.
func (a *app) sweep() error {
	left, err := filepath.Glob(filepath.Join(a.checkFolder(), checking+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && a.s.now().Sub(info.ModTime()) > abandoned {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
