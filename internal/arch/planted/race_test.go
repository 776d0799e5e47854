//go:build planted

// Package planted holds a data race that .ci/planted-race expects the race detector to report: the tests leave the
// detector out of the database's own packages, and must still find races in the code that calls them.
package planted

import (
	"database/sql"
	"sync"
	"testing"

	_ "modernc.org/sqlite"
)

func TestRace(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var sum int
	var queried, done sync.WaitGroup
	queried.Add(2)
	for range 2 {
		done.Go(func() {
			var n int
			if err := db.QueryRowContext(t.Context(), `SELECT 1`).Scan(&n); err != nil {
				t.Error(err)
			}
			queried.Done()
			queried.Wait() // from here on nothing orders the two goroutines, whatever the load
			sum += n
		})
	}
	done.Wait()
	t.Log(sum)
}
