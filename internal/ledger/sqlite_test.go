package ledger_test

import (
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/database"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T) Bench { return bench(t, open(t)) })
}

// open opens a migrated database in a new folder.
func open(t *testing.T) *sqlite.DB {
	t.Helper()
	return database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
}

func bench(t *testing.T, db *sqlite.DB) Bench {
	t.Helper()
	clock := NewClock()
	return Bench{
		Writer: db.Writer,
		Clock:  clock,
		Ledger: ledger.Open(db.Writer, db.Reader, clock.Now, ledger.WithExplain(sqlite.Explain)),
		Queue:  queue{job.Open(db.Writer, db.Reader, clock.Now, job.WithExplain(sqlite.Explain))},
	}
}
