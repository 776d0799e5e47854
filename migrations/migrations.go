// Package migrations holds the database schema as numbered SQL files and
// applies them. Migrations only go forward: a released file is never edited,
// the next change is the next number. Each exists twice under the same name,
// for SQLite and for Postgres; a test keeps the tables of both equal.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// maxRounds bounds how often Up starts over because another process migrates
// the same database. In each lost round the other process applied a migration.
const maxRounds = 20

// A Version holds the number of the last migration that a database has, and of
// the last one that this program knows.
type Version struct {
	Database, Program int64
}

// Up applies the migrations that db lacks, each in one transaction. Several
// processes may call it at once. If a newer program has migrated the database,
// Up changes nothing and returns an error of kind Conflict.
func Up(ctx context.Context, db *sql.DB) error {
	var err error
	for range maxRounds {
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
	v, err := version(ctx, p)
	if err != nil {
		return err
	}
	if v.Database > v.Program {
		return domain.Errorf(domain.Conflict,
			"The database was written by a newer version of Clew (its schema is number %d, this program knows %d). Start that version, or choose another database with DATA_DIR or DATABASE_URL.",
			v.Database, v.Program)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate from %d to %d: %w", v.Database, v.Program, err)
	}
	return nil
}

// State returns the version of db without changing its tables.
func State(ctx context.Context, db *sql.DB) (Version, error) {
	p, err := provider(db)
	if err != nil {
		return Version{}, err
	}
	return version(ctx, p)
}

func version(ctx context.Context, p *goose.Provider) (Version, error) {
	database, program, err := p.GetVersions(ctx)
	if err != nil {
		return Version{}, fmt.Errorf("read schema version: %w", err)
	}
	return Version{Database: database, Program: program}, nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	folder, dialect := "sqlite", goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true)} // numbers are given before the work is done
	if sqlio.DialectOf(db).Postgres {
		folder, dialect = "postgres", goose.DialectPostgres
		// Of the processes that start at once one migrates. The others check every
		// second whether it is done, for at most five minutes.
		one, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
		if err != nil {
			return nil, fmt.Errorf("make the lock of migrations: %w", err)
		}
		options = append(options, goose.WithSessionLocker(one))
	}
	all, err := scripts(folder)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	p, err := goose.NewProvider(dialect, db, nil, append(options, goose.WithGoMigrations(all...))...)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}

// scripts returns the files of a folder as migrations. Goose could read them
// itself, but allocates megabytes for each line.
func scripts(folder string) ([]*goose.Migration, error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []*goose.Migration
	for _, e := range entries {
		version, err := goose.NumericComponent(e.Name())
		if err != nil {
			return nil, err
		}
		text, err := files.ReadFile(folder + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			for _, statement := range sqlStatements(string(text)) {
				if _, err := tx.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("%s: %w", e.Name(), err)
				}
			}
			return nil
		}}, nil))
	}
	return all, nil
}

// sqlStatements splits a file at the lines that end with a semicolon, and drops
// the comments between statements.
func sqlStatements(text string) []string {
	var all []string
	var statement strings.Builder
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "--")
		code = strings.TrimSpace(code)
		if code == "" && statement.Len() == 0 {
			continue
		}
		statement.WriteString(line)
		if strings.HasSuffix(code, ";") {
			all = append(all, statement.String())
			statement.Reset()
		}
	}
	if statement.Len() > 0 {
		all = append(all, statement.String())
	}
	return all
}
