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
		Host: host{a}, Writer: a.db.Writer, Reader: a.db.Reader, Postgres: a.cfg.Postgres.URL, Files: a.files, Marks: []string{restoredSetting}, Now: a.env.now,
	}
}

// host is the program as an importer needs it.
type host struct{ *app }

var _ backup.Host = host{}

// FolderBeside makes a folder for stores or a database that are used for a while, and returns what removes it. It implements
// backup.Host.
func (a *app) FolderBeside() (dir string, remove func() error, err error) {
	if dir, err = os.MkdirTemp(a.checkFolder(), checkPrefix+"*"); err != nil {
		return "", nil, fmt.Errorf("make a folder: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// SyncFiles implements backup.Host. A database syncs its rows itself.
func (h host) SyncFiles(w domain.WorkspaceID) error {
	if files, ok := h.files.(*documents.Files); ok {
		return backup.Durable(files.Folder(w))
	}
	return nil
}

// CheckName implements backup.Host.
func (host) CheckName(name string) error { return workspaces.CheckName(name) }

// Explain implements backup.Host.
func (h host) Explain(err error) error {
	if err == nil {
		return nil
	}
	return h.db.explain(err)
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
	a.noted(ctx, "restore", err, done.Name)
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
