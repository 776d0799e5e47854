package sql_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit/servers"
)

func openPostgres(t testing.TB, now func() time.Time) stategraph.Checkpointer {
	t.Helper()
	db := servers.Postgres(t)
	c, err := checkpoint.New(t.Context(), db.Writer, db.Reader, now, checkpoint.WithExplain(postgres.Explain))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestPostgresKeepsTheContract(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(t *testing.T, now func() time.Time) stategraph.Checkpointer { return openPostgres(t, now) })
}

// BenchmarkAppend writes one record at a time to each database.
func BenchmarkAppend(b *testing.B) {
	for name, open := range map[string]func(testing.TB, func() time.Time) stategraph.Checkpointer{"sqlite": open, "postgres": openPostgres} {
		b.Run(name, func(b *testing.B) {
			c := open(b, time.Now)
			token, err := c.Acquire(b.Context(), "t")
			if err != nil {
				b.Fatal(err)
			}
			one := []stategraph.Record{{Kind: stategraph.RecordWrite, Step: 1, At: time.Now(), Data: make([]byte, 500)}}
			for b.Loop() {
				if err := c.Append(b.Context(), "t", token, one); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
