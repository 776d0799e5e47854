package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sqlite"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/migrations"
)

func open(t testing.TB, now func() time.Time) stategraph.Checkpointer {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "clew.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := migrations.Up(t.Context(), db.Writer); err != nil {
		t.Fatal(err)
	}
	c, err := checkpoint.New(t.Context(), db.Writer, db.Reader, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestSQLiteKeepsTheContract(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(t *testing.T, now func() time.Time) stategraph.Checkpointer { return open(t, now) })
}
