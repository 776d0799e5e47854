package job_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/job/jobtest"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/migrations"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	jobtest.Run(t, func(t *testing.T, now func() time.Time) (*job.Queue, *sql.DB) {
		path := filepath.Join(t.TempDir(), "clew.db")
		return open(t, path, now)
	})
}

// open opens a queue over the database file at path, as another process would,
// and returns the database for writing too.
func open(t *testing.T, path string, now func() time.Time) (*job.Queue, *sql.DB) {
	t.Helper()
	db := openDB(t, path)
	if err := migrations.Up(t.Context(), db.Writer); err != nil {
		t.Fatal(err)
	}
	return job.Open(db.Writer, db.Reader, now, job.WithExplain(sqlite.Explain)), db.Writer
}

func openDB(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
