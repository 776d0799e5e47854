package job_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// many is how many runs the benchmark lists.
const many = 100_000

// fillMany adds ended runs of three kinds, of which few are special. One in a
// hundred failed, and one in a thousand was resumed.
const fillMany = `INSERT INTO runs (workspace_id, id, kind, subject, input, status, priority, attempt, max_attempts, owner, lease, lease_until,
		next_try, stop_asked, problem, settled, created_at, started_at, finished_at, person, lap, title, tokens, capped, resumed, failed_at)
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
	SELECT 'w1', 'j' || (1000000 + i), CASE i % 3 WHEN 0 THEN 'answer' WHEN 1 THEN 'ingest' ELSE 'summarize' END, 'm' || i, '',
		CASE i % 100 WHEN 7 THEN 'failed' ELSE 'done' END, 0, 1, 5, 'o', 30000, 0,
		0, 0, '', 1, 1700000000000 + i * 1000, 1700000000000 + i * 1000, 1700000000000 + i * 1000 + 900 + i % 977, CASE i % 50 WHEN 0 THEN 'ada' ELSE 'ben' END, 0,
		'who cast the bells of tower ' || i || ', and who paid the founder for it in the end?', i % 8191, CASE i % 500 WHEN 3 THEN 1 ELSE 0 END, CASE i % 1000 WHEN 9 THEN 1 ELSE 0 END,
		CASE i % 100 WHEN 7 THEN 'generate' ELSE '' END
	FROM n`

// BenchmarkAList lists a page of 100,000 runs by each filter: its first, and one
// in the middle.
func BenchmarkAList(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) {
		db := database.Open(b, b.TempDir()+"/clew.db")
		benchmarkList(b, db.Writer, job.Open(db.Writer, db.Reader, time.Now))
	})
	b.Run("Postgres", func(b *testing.B) {
		db := servers.Postgres(b)
		benchmarkList(b, db.Writer, job.Open(db.Writer, db.Reader, time.Now), "ANALYZE runs") // as the server does by itself
	})
}

func benchmarkList(b *testing.B, db *sql.DB, q *job.Queue, after ...string) {
	if _, err := db.ExecContext(b.Context(), fillMany, many); err != nil {
		b.Fatal(err)
	}
	for _, statement := range after {
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	middle := job.Place{At: time.UnixMilli(1700000000000 + many/2*1000), ID: "j"}
	bars, err := q.Bars(b.Context(), "w1", "answer", "ingest", "summarize")
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []struct {
		name  string
		query job.Query
		want  int
	}{
		{"all", job.Query{}, 51},
		{"the middle", job.Query{After: middle}, 51},
		{"back from the middle", job.Query{Before: middle}, 51},
		{"of a kind", job.Query{Kind: "ingest", After: middle}, 51},
		{"failed", job.Query{Status: []job.Status{job.Failed}}, 51},
		{"waiting", job.Query{Status: []job.Status{job.Waiting}}, 0},
		{"of a person", job.Query{Person: "ada", After: middle}, 51},
		{"of one day", job.Query{From: middle.At, To: middle.At.Add(24 * time.Hour)}, 51},
		{"slow", job.Query{Slower: bars}, 51},
		{"costly", job.Query{Costlier: bars}, 51},
		{"cap reached", job.Query{Capped: true}, 51},
		{"resumed", job.Query{Resumed: true}, 51},
		{"failed at", job.Query{FailedAt: "generate"}, 51},
		{"one title", job.Query{Words: "tower 4711,"}, 1},
		{"no title", job.Query{Words: "zebra"}, 0},
		{"no title of a kind", job.Query{Words: "zebra", Kind: "ingest"}, 0},
		{"no title of a person", job.Query{Words: "zebra", Person: "ben"}, 0},
		{"nothing by all", job.Query{Words: "bells", Kind: "ingest", Person: "ben", Status: []job.Status{job.Done}, Slower: bars, Costlier: bars}, 0},
	} {
		f.query.Limit = 51
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				runs, err := q.List(b.Context(), "w1", f.query)
				if len(runs) < f.want || err != nil {
					b.Fatal(fmt.Errorf("%d runs, want %d: %w", len(runs), f.want, err))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/page")
		})
	}
	b.Run("bars", func(b *testing.B) {
		for b.Loop() {
			if _, err := q.Bars(b.Context(), "w1", "answer", "ingest", "summarize"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("what to narrow by", func(b *testing.B) {
		for b.Loop() {
			persons, err := q.Persons(b.Context(), "w1")
			if len(persons) != 2 || err != nil {
				b.Fatal(persons, err)
			}
		}
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if n, err := q.Count(b.Context(), "w1", job.Query{}); n != many || err != nil {
				b.Fatal(n, err)
			}
		}
	})
}
