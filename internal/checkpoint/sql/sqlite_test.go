package sql_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/stategraph"
)

func open(t testing.TB, now func() time.Time) stategraph.Checkpointer {
	t.Helper()
	db := migrated(t)
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
