package job_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/database"
)

// BenchmarkRun adds a run, claims it among a thousand waiting ones, finishes it
// and settles it.
func BenchmarkRun(b *testing.B) {
	db := database.Open(b, b.TempDir()+"/clew.db")
	q := job.Open(db.Writer, db.Reader, time.Now)
	add := func(id string) {
		if _, err := q.Add(b.Context(), job.Run{Workspace: ws, ID: domain.RunID(id), Kind: "k"}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 1000 {
		add(fmt.Sprint("waits ", i))
	}
	for i := 0; b.Loop(); i++ {
		add(fmt.Sprint("r", i))
		r, _, err := q.Claim(b.Context(), "o", job.Room{"k": {}}, time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := q.Finish(b.Context(), r.ID, "o"); err != nil {
			b.Fatal(err)
		}
		if err := q.MarkSettled(b.Context(), r.ID, "o"); err != nil {
			b.Fatal(err)
		}
	}
}
