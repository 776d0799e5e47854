// Package sqlite opens the program's database file and knows what SQLite's
// errors mean to a person. Everything else speaks database/sql.
//
// One connection writes and several read, because SQLite has one writer at a
// time: a queue of writers inside the process is cheaper than writers that
// collide. Other processes may use the same file at once.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // registers the driver under the name "sqlite"
)

// Options tune an open database. The zero value is right for the program.
type Options struct {
	Readers     int           // connections that read; 4 when 0
	BusyTimeout time.Duration // how long a writer waits for another process; 10 s when 0
}

// DB is an open database file.
type DB struct {
	Writer *sql.DB // one connection; its transactions take the write lock when they begin
	Reader *sql.DB // may not write

	path string
}

// Open opens the database file at path, creating it and its folder when they
// are missing, readable by their owner alone. It does not migrate it. A
// folder or file that can't be used is an error of kind Invalid that says so;
// a full disk is of kind Exhausted.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Readers == 0 {
		o.Readers = 4
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 10 * time.Second
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	db, err := connect(path, o)
	if err != nil {
		return nil, err
	}
	if err := db.probe(ctx); err != nil {
		return nil, errors.Join(describe(path, err), db.closePools())
	}
	return db, nil
}

// writerCache is how many pages the writer keeps in memory, as a negative
// number of KiB. Ids are hashes, so that rows go all over the file: with
// SQLite's own 2 MB a batch reads most pages again for every row.
const writerCache = "-32768"

func connect(path string, o Options) (*DB, error) {
	writer, err := sql.Open("sqlite", dsn(path, o, "_txlock=immediate&_pragma=cache_size("+writerCache+")"))
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", dsn(path, o, "_pragma=query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open database: %w", errors.Join(err, writer.Close()))
	}
	reader.SetMaxOpenConns(o.Readers)
	reader.SetMaxIdleConns(o.Readers)
	return &DB{Writer: writer, Reader: reader, path: path}, nil
}

// probe takes the write lock once, which is what a database that can't be
// written refuses, and opens a reader.
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

// prepare makes the folder and an empty file, so that the file's mode is ours
// and SQLite's side files, which copy it, are as private.
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

// dsn names the file with the pragmas that every connection needs.
//   - WAL, because readers then never wait for the writer; NORMAL loses at most
//     the last commits at a power cut and never corrupts.
//   - secure_delete overwrites what is deleted, because deleted words must be
//     gone from disk; temp_store keeps sorting out of temporary files for the
//     same reason.
func dsn(path string, o Options, last string) string {
	name := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	timeout := strconv.FormatInt(o.BusyTimeout.Milliseconds(), 10)
	return "file:" + name +
		"?_pragma=busy_timeout(" + timeout + ")" +
		"&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)" +
		"&_pragma=foreign_keys(1)" +
		"&_pragma=secure_delete(1)" +
		"&_pragma=temp_store(MEMORY)&" + last
}

// Close empties the write-ahead log into the file and closes it. Call it once
// nobody uses the database any more.
func (db *DB) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	readers := db.Reader.Close() // an open reader would keep the log from being emptied
	err := db.Checkpoint(ctx)
	if busy(err) { // another process reads; whoever closes last empties the log
		err = nil
	}
	return errors.Join(readers, err, db.Writer.Close())
}

func (db *DB) closePools() error {
	return errors.Join(db.Reader.Close(), db.Writer.Close())
}
