// Package postgres opens a Postgres database, makes it understand SQL written for SQLite, and explains
// its errors to people. Everything else uses database/sql.
//
// The driver numbers "?" placeholders, and its dialect (see sqlio.Dialect)
// provides row locks for concurrent transactions. Isolation is READ COMMITTED,
// Postgres's default.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/clewhq/clew/internal/domain"
)

// oldest is the lowest supported version, as the server numbers it.
const oldest = 14_00_00

// Options tune an open database. The zero value is right for the program.
type Options struct {
	Connections int // maximum that write, and maximum that read; 0 means 6
}

// DB is an open database.
type DB struct {
	Writer *sql.DB
	Reader *sql.DB // can't write; separate, so that a transaction that reads through it never waits for itself

	config *pgx.ConnConfig
}

// Open opens the database at a postgres:// address without migrating it. The error
// is Invalid for a wrong address or a database that can't be used, and Unavailable
// for a server that does not answer.
func Open(ctx context.Context, address string, o Options) (*DB, error) {
	if o.Connections == 0 {
		o.Connections = 6
	}
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	readers, writers := config.Copy(), config.Copy()
	readers.RuntimeParams["default_transaction_read_only"] = "on"
	// Writes find their few rows by key. By default, they would be planned in each of their first five runs on a
	// connection.
	writers.RuntimeParams["plan_cache_mode"] = cmp.Or(writers.RuntimeParams["plan_cache_mode"], "force_generic_plan")
	db := &DB{Writer: pool(writers, o), Reader: pool(readers, o), config: config}
	if err := db.probe(ctx); err != nil {
		return nil, errors.Join(Explain(err), db.Close())
	}
	return db, nil
}

// configure parses an address and adds default parameters.
func configure(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, domain.Because(domain.Invalid, err, "A file that DATABASE_URL names can't be read: %v.", file)
	}
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "DATABASE_URL is not the address of a Postgres database, which looks like postgres://user:password@host:5432/name.")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	for name, value := range map[string]string{
		"application_name":                    "clew",
		"statement_timeout":                   "5min", // far beyond any statement
		"idle_in_transaction_session_timeout": "20s",  // frees the locks of a process that hangs
		"tcp_keepalives_idle":                 "10",   // and those of a process whose machine is cut off
		"tcp_keepalives_interval":             "5",
		"tcp_keepalives_count":                "3",
	} {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	return config, nil
}

func pool(config *pgx.ConnConfig, o Options) *sql.DB {
	db := sql.OpenDB(connector{stdlib.GetConnector(*config)})
	db.SetMaxOpenConns(o.Connections)
	db.SetMaxIdleConns(o.Connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // so that connections move when servers do
	return db
}

// probe checks the server's version, encoding and write access.
func (db *DB) probe(ctx context.Context) error {
	var version, encoding string
	err := db.Reader.QueryRowContext(ctx, `SELECT current_setting('server_version_num'), current_setting('server_encoding')`).Scan(&version, &encoding)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(version); err != nil || n < oldest {
		return domain.Errorf(domain.Invalid, "The database at DATABASE_URL is Postgres %s. Clew needs version %d or later.", version, oldest/100_00)
	}
	if encoding != "UTF8" {
		return domain.Errorf(domain.Invalid, "The database at DATABASE_URL is encoded in %s, which can't hold every text. Make one with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.", encoding)
	}
	return db.Writer.PingContext(ctx)
}

// Close closes all connections.
func (db *DB) Close() error {
	return errors.Join(db.Reader.Close(), db.Writer.Close())
}
