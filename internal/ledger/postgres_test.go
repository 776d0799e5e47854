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
