package ledger_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/ledger/ledgertest"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/migrations"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) ledgertest.Bench { return bench(t, open(t)) })
}

// open opens a migrated database in a folder of its own.
func open(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "clew.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := migrations.Up(t.Context(), db.Writer); err != nil {
		t.Fatal(err)
	}
	return db
}

func bench(t *testing.T, db *sqlite.DB) ledgertest.Bench {
	t.Helper()
	clock := ledgertest.NewClock()
	return ledgertest.Bench{
		Clock:  clock,
		Ledger: ledger.Open(db.Writer, db.Reader, clock.Now, ledger.WithExplain(sqlite.Explain)),
		Queue:  job.Open(db.Writer, db.Reader, clock.Now, job.WithExplain(sqlite.Explain)),
	}
}

// TestEventsAreAddedInAnotherStoresTransaction numbers them behind what the
// run has, and takes them back with the transaction.
func TestEventsAreAddedInAnotherStoresTransaction(t *testing.T) {
	t.Parallel()
	db := open(t)
	b := bench(t, db)
	ctx, ws := t.Context(), domain.DefaultWorkspace
	if _, err := db.Writer.ExecContext(ctx, `INSERT INTO runs (workspace_id, id, kind, subject, input, status, priority, attempt,
		max_attempts, owner, lease, lease_until, next_try, stop_asked, problem, settled, created_at, started_at, finished_at)
		VALUES (?, 'r', 'ask', 's', '', 'queued', 0, 0, 1, '', 0, 0, 0, 0, '', 0, 0, 0, 0)`, ws); err != nil {
		t.Fatal(err)
	}
	add := func(run domain.RunID, commit bool) error {
		tx, err := db.Writer.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		rows := []ledger.EventRow{{JSON: []byte(`{}`)}, {JSON: []byte(`{}`)}}
		if err := b.Ledger.AddEvents(ctx, tx, ws, run, rows); err != nil || !commit {
			return err
		}
		return tx.Commit()
	}
	if err := errors.Join(add("r", true), add("r", false), add("r", true)); err != nil {
		t.Fatal(err)
	}
	events, err := b.Ledger.Events(ctx, ws, "r", 0)
	if err != nil || len(events) != 4 || events[3].Seq != 4 {
		t.Errorf("events %v, %v; want four, numbered without a gap", events, err)
	}
	if err := add("gone", true); domain.KindOf(err) != domain.NotFound {
		t.Errorf("events of a run that is gone: %v, want NotFound", err)
	}
}
