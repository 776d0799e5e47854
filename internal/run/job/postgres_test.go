package job_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/servers"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T, now func() time.Time) (*job.Queue, *sql.DB) {
		db := servers.Postgres(t)
		return job.Open(db.Writer, db.Reader, now, job.WithExplain(postgres.Explain)), db.Writer
	})
}
