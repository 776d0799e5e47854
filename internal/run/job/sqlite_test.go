package job_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/database"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T, now func() time.Time) (*job.Queue, *sql.DB) {
		path := filepath.Join(t.TempDir(), "clew.db")
		return open(t, path, now)
	})
}

// open opens a queue over the database file at path, as another process would,
// and returns the database for writing too.
func open(t *testing.T, path string, now func() time.Time) (*job.Queue, *sql.DB) {
	t.Helper()
	db := database.Open(t, path)
	return job.Open(db.Writer, db.Reader, now, job.WithExplain(sqlite.Explain)), db.Writer
}
