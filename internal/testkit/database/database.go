// Package database opens SQLite databases for tests.
package database

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/migrations"
)

// decided keeps the first page from asking for whom the library is.
const decided = `INSERT INTO settings (workspace_id, name, value) VALUES ('default', 'alone', 'true')`

// empty returns the file of a database with all tables and no rows but that of decided. All tests of
// a binary copy the same one, because migrating takes longer than most of them.
var empty = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "clew-test-database-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clew.db")
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	err = migrations.Up(context.Background(), db.Writer)
	if err == nil {
		_, err = db.Writer.ExecContext(context.Background(), decided)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Open opens the database in the file at path, and closes it when the test ends.
// If there is no file, it makes one with all tables.
func Open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		check(t, Make(path))
	}
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	return db
}

// Make writes a database with all tables and no rows.
func Make(path string) error {
	file, err := empty()
	if err != nil {
		return err
	}
	return os.WriteFile(path, file, 0o600)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
