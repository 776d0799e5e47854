package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/workspaces"
)

// importer adds workspaces of backups to the library.
func (a *app) importer() backup.Importer {
	return backup.Importer{
		Writer: a.db.Writer, Reader: a.db.Reader, Postgres: a.cfg.Postgres.URL, Folder: a.folderBeside, Files: a.files,
		Sync: a.syncFiles, CheckName: workspaces.CheckName, Marks: []string{restoredSetting}, Explain: a.db.explain, Now: a.env.now,
	}
}

// folderBeside makes a folder for stores or a database that are used for a while, and returns what removes it.
func (a *app) folderBeside() (dir string, remove func() error, err error) {
	if dir, err = os.MkdirTemp(a.checkFolder(), checkPrefix+"*"); err != nil {
		return "", nil, fmt.Errorf("make a folder: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// syncFiles has the files of a workspace on disk. A database syncs its rows itself.
func (a *app) syncFiles(w domain.WorkspaceID) error {
	if files, ok := a.files.(*documents.Files); ok {
		return backup.Durable(files.Folder(w))
	}
	return nil
}

// importHere adds the workspace of a backup to the library here.
func importHere(ctx context.Context, cfg config.Config, s env, archive *os.File, r restoring) (err error) {
	if r.force {
		return domain.Errorf(domain.Invalid, "A backup of one workspace is added to the library and replaces nothing. Leave --force out.")
	}
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	done, err := a.importer().Import(ctx, archive, r.as, r.partial)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, done.Told())
	fmt.Fprintln(s.stdout, "Filling its graph and its search index.")
	if err := a.fillRestored(ctx, done.ID); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, "Done.")
	return nil
}
