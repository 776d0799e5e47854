// Package sqlite opens the program's database file and explains SQLite's errors
// to people. Everything else uses database/sql.
//
// One connection writes and several read: SQLite allows one writer at a time, and
// a queue within the process is cheaper than writers that collide. Other
// processes may use the same file.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Options tune an open database. The zero value is right for the program.
type Options struct {
	Readers     int           // connections that read; 0 means 4
	BusyTimeout time.Duration // maximum wait of a writer for another process; 0 means 10 s

	// Fresh is for filling a file that is thrown away unless it becomes complete: nothing is synced,
	// and references are not checked until Dangling is called.
	Fresh bool
}

// DB is an open database file.
type DB struct {
	Writer *sql.DB // one connection; its transactions take the write lock when they begin
	Reader *sql.DB // can't write

	path string
}

// Open opens the database file at path without migrating it. It creates missing
// files and folders, readable by their owner alone. The error is Invalid for a
// folder or file that can't be used, and Exhausted for a full disk.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Readers == 0 {
		o.Readers = 4
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 10 * time.Second
	}
	if err := sharePages(); err != nil {
		return nil, err
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	db := connect(path, o)
	if err := db.probe(ctx); err != nil {
		return nil, errors.Join(describe(path, err), db.closePools())
	}
	return db, nil
}

func connect(path string, o Options) *DB {
	writer := open(connector{dsn: dsn(path, o, ""), grows: path})
	writer.SetMaxOpenConns(1)
	reader := open(connector{dsn: dsn(path, o, "_pragma=query_only(1)")})
	reader.SetMaxOpenConns(o.Readers)
	reader.SetMaxIdleConns(o.Readers)
	return &DB{Writer: writer, Reader: reader, path: path}
}

// probe takes the write lock, which fails when the database can't be written, and
// opens a reader.
func (db *DB) probe(ctx context.Context) error {
	tx, err := db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := tx.Rollback(); err != nil {
		return err
	}
	return db.Reader.PingContext(ctx)
}

// prepare creates the folder and an empty private file. SQLite's side files copy
// its mode.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return describe(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return describe(path, err)
	}
	return f.Close()
}

// dsn names the file with the pragmas for every connection.
//   - WAL, so that readers never wait for the writer; with NORMAL a power cut
//     loses at most the last commits and corrupts nothing.
//   - The log is moved into the file when it has 8 MB, twice the default: pages that
//     change often are moved half as often. A log that grew larger, by a
//     large transaction or a long read, is truncated when it starts over.
//   - secure_delete overwrites deleted rows, because deleted words must leave the
//     disk, which Scrub completes; temp_store keeps sorting out of temporary files for
//     the same reason.
func dsn(path string, o Options, last string) string {
	name := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	timeout := strconv.FormatInt(o.BusyTimeout.Milliseconds(), 10)
	pragmas := "&_pragma=journal_mode(WAL)" +
		"&_pragma=wal_autocheckpoint(2000)" +
		"&_pragma=journal_size_limit(1048576)" +
		"&_pragma=synchronous(NORMAL)" +
		"&_pragma=foreign_keys(1)" +
		"&_pragma=secure_delete(1)"
	if o.Fresh {
		pragmas = "&_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)&_pragma=foreign_keys(0)&_pragma=secure_delete(1)"
	}
	return "file:" + name + "?_pragma=busy_timeout(" + timeout + ")" + pragmas + "&_pragma=temp_store(MEMORY)&" + last
}

// Dangling returns the name of a table with a row that refers to one that is not
// there, or "".
func (db *DB) Dangling(ctx context.Context) (table string, err error) {
	err = db.Writer.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return table, err
}

// closing is how many pages Close looks at for deleted words: 256 MB, or about two seconds.
const closing = 1 << 16

// Close removes deleted words as far as that is quick, moves the write-ahead log into the
// file and closes the database, which nobody may be using.
func (db *DB) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := db.Scrub(ctx, closing)
	readers := db.Reader.Close() // an open reader would keep the log from being emptied
	err = errors.Join(err, db.Checkpoint(ctx))
	if domain.KindOf(err) == domain.Unavailable { // another process is reading; the last one to close empties the log
		err = nil
	}
	return errors.Join(readers, err, db.Writer.Close())
}

func (db *DB) closePools() error {
	return errors.Join(db.Reader.Close(), db.Writer.Close())
}
