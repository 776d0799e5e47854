// Package postgres opens a Postgres database, lets it be spoken to in the same
// SQL as SQLite, and knows what its errors mean to a person. Everything else
// speaks database/sql.
//
// What is written for SQLite runs here too: the driver numbers the "?"
// placeholders, and its dialect (see sqlio.Dialect) holds the row locks with
// which transactions that run at the same time stay out of each other's way.
// Isolation is READ COMMITTED, Postgres's own default.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/clewhq/clew/internal/domain"
)

// oldest is the first version of Postgres that is supported, as the server
// numbers it.
const oldest = 14_00_00

// Options tune an open database. The zero value is right for the program.
type Options struct {
	Connections int // at most so many that write, and as many that read; 6 when 0
}

// DB is an open database.
type DB struct {
	Writer *sql.DB
	Reader *sql.DB // may not write; apart, so that a transaction that reads through it never waits for itself
}

// Open opens the database at a postgres:// address. It does not migrate it. An
// address that is none, a database that is not there, or one that can't be
// used is an error of kind Invalid that names the setting; a server that does
// not answer is of kind Unavailable.
func Open(ctx context.Context, address string, o Options) (*DB, error) {
	if o.Connections == 0 {
		o.Connections = 6
	}
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	readers := config.Copy()
	readers.RuntimeParams["default_transaction_read_only"] = "on"
	db := &DB{Writer: pool(config, o), Reader: pool(readers, o)}
	if err := db.probe(ctx); err != nil {
		return nil, errors.Join(Explain(err), db.Close())
	}
	return db, nil
}

// configure reads an address and adds what it leaves open.
func configure(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "DATABASE_URL is not the address of a Postgres database, which looks like postgres://user:password@host:5432/name.")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	for name, value := range map[string]string{
		"application_name":                    "clew",
		"statement_timeout":                   "5min", // no statement takes a fraction of it
		"idle_in_transaction_session_timeout": "1min", // a process that is cut off lets go of its locks
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

// probe checks that the server can hold what the program writes.
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
