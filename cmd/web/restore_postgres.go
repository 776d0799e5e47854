package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/upkeep/backup"
)

// restoredSchema is the Postgres schema in which the new state is built, beside
// the one in use.
const restoredSchema = "clew_restored"

// stagePostgres builds the backup's state in a separate schema. If the process
// is killed, the next restore drops the schema.
func stagePostgres(ctx context.Context, cfg config.Config, s env, archive io.Reader, partial bool) (err error) {
	address, err := backup.InSchema(cfg.Postgres.URL, restoredSchema)
	if err != nil {
		return err
	}
	in, err := postgres.Open(ctx, cfg.Postgres.URL, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := sqlio.ExecAll(ctx, in.Writer, nil, `DROP SCHEMA IF EXISTS `+restoredSchema+` CASCADE`, `CREATE SCHEMA `+restoredSchema); err != nil {
		return fmt.Errorf("make a schema: %w", postgres.Explain(err))
	}
	beside, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(postgres.Explain(err), beside.Close()) }()
	db := database{Writer: beside.Writer, Reader: beside.Reader, explain: postgres.Explain}
	summary, err := backup.Restore(ctx, archive, backup.Target{DB: db.Writer, Partial: partial, Files: func(ctx context.Context) (backup.Store, error) {
		return openFiles(cfg, func() (documents.FileStore, error) {
			return documents.NewRows(ctx, db.Writer, db.Reader, s.now, postgres.Explain)
		})
	}})
	if err != nil {
		return err
	}
	return settle(ctx, s, db, summary.Gone, identitiesIn(ctx, cfg, s))
}

// switchPostgres replaces the old state with the new one in one transaction.
func switchPostgres(ctx context.Context, cfg config.Config) (err error) {
	in, err := postgres.Open(ctx, cfg.Postgres.URL, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(postgres.Explain(err), in.Close()) }()
	tx, err := in.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	names, err := sqlio.Collect(ctx, tx, sqlio.Column[string],
		`SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = ? ORDER BY tablename`, restoredSchema)
	if err != nil {
		return err
	}
	home, err := sqlio.Value[string](ctx, tx, `SELECT quote_ident(current_schema())`)
	if err != nil {
		return err
	}
	if err := move(ctx, tx, names, home); err != nil {
		return fmt.Errorf("put the restored state in place: %w", err)
	}
	return tx.Commit()
}

func move(ctx context.Context, tx *sql.Tx, tables []string, home string) error {
	var statements []string
	for _, name := range tables {
		statements = append(statements, `DROP TABLE IF EXISTS `+home+`.`+name+` CASCADE`)
	}
	for _, name := range tables {
		statements = append(statements, `ALTER TABLE `+restoredSchema+`.`+name+` SET SCHEMA `+home)
	}
	return sqlio.ExecAll(ctx, tx, nil, append(statements, `DROP SCHEMA `+restoredSchema+` CASCADE`)...)
}
