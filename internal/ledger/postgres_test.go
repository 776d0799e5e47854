package ledger_test

import (
	"testing"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/servers"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T) Bench { return postgresBench(servers.Postgres(t)) })
}

func postgresBench(db *postgres.DB) Bench {
	clock := NewClock()
	return Bench{
		Writer: db.Writer,
		Clock:  clock,
		Ledger: ledger.Open(db.Writer, db.Reader, clock.Now, ledger.WithExplain(postgres.Explain)),
		Queue:  queue{job.Open(db.Writer, db.Reader, clock.Now, job.WithExplain(postgres.Explain))},
	}
}

// TestPostgresCountsTheRowsOfAYoungLibrary indexes a document, and asks Postgres how many chunks it takes the library to have.
func TestPostgresCountsTheRowsOfAYoungLibrary(t *testing.T) {
	t.Parallel()
	b := postgresBench(servers.Postgres(t))
	d := b.add(t, ws, "one", "Ada met Babbage.", "Babbage built an engine.")
	_, err := b.Ledger.Publish(t.Context(), ws, d.ID)
	must(t, err)
	must(t, b.Ledger.IndexChunks(t.Context(), ws, oneWord))
	var chunks float64
	must(t, b.Writer.QueryRowContext(t.Context(), `SELECT reltuples FROM pg_class WHERE relname = 'chunks'`).Scan(&chunks))
	if chunks != 2 {
		t.Errorf("Postgres counts %v chunks, want 2", chunks)
	}
}
