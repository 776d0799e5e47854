// Package migrations holds the database schema as numbered SQL files and
// brings a database up to them. Migrations only go forward: a file that has
// been released is never edited, the next change is the next number.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/clewhq/clew/internal/domain"
)

//go:embed sqlite/*.sql
var files embed.FS

// rounds bounds how often Up starts over when another process migrates the
// same file at the same time. Each lost round is a migration that the other
// process applied.
const rounds = 20

// Version is where a database stands: the number of the last migration it
// has, and of the last one this program knows.
type Version struct {
	Database, Program int64
}

// Up applies the migrations that the SQLite database behind db lacks, each in
// one transaction. Several processes may call it at once. A database that a
// newer program has migrated is left alone, with an error of kind Conflict.
func Up(ctx context.Context, db *sql.DB) error {
	var err error
	for range rounds {
		if err = up(ctx, db); err == nil || domain.KindOf(err) == domain.Conflict || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func up(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return err
	}
	v, err := stand(ctx, p)
	if err != nil {
		return err
	}
	if v.Database > v.Program {
		return domain.Errorf(domain.Conflict,
			"The data folder was written by a newer version of Clew (its schema is number %d, this program knows %d). Start that version, or choose another data folder with DATA_DIR.",
			v.Database, v.Program)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate from %d to %d: %w", v.Database, v.Program, err)
	}
	return nil
}

// State reports where the SQLite database behind db stands, without changing
// its tables.
func State(ctx context.Context, db *sql.DB) (Version, error) {
	p, err := provider(db)
	if err != nil {
		return Version{}, err
	}
	return stand(ctx, p)
}

func stand(ctx context.Context, p *goose.Provider) (Version, error) {
	database, program, err := p.GetVersions(ctx)
	if err != nil {
		return Version{}, fmt.Errorf("read schema version: %w", err)
	}
	return Version{Database: database, Program: program}, nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(files, "sqlite")
	if err != nil {
		return nil, fmt.Errorf("open migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}
