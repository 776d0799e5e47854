package sql_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/stategraph"
)

// TestEndedThreadsAreKeptAndSwept ends threads of 100 bytes an hour apart.
func TestEndedThreadsAreKeptAndSwept(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, func() time.Time) stategraph.Checkpointer{"sqlite": open, "postgres": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, at := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			c, ok := open(t, func() time.Time { return at }).(*checkpoint.Checkpointer)
			if !ok {
				t.Fatal("another checkpointer")
			}
			write := func(id string) {
				token, err := c.Acquire(ctx, id)
				if err == nil {
					err = c.Append(ctx, id, token, []stategraph.Record{
						{Kind: stategraph.RecordSnapshot, At: at, Data: make([]byte, 60)}, {Kind: stategraph.RecordWrite, Step: 1, At: at, Data: make([]byte, 40)},
					})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			kept := func(when string, threads int) {
				t.Helper()
				k, err := c.Kept(ctx)
				if err != nil || k.Threads != threads || k.Bytes < int64(100*threads) || k.Bytes > int64(140*threads) {
					t.Errorf("%s: %+v are kept, error %v; want %d threads of 100 bytes or a little more", when, k, err, threads)
				}
			}
			began := at
			for i := range 120 { // more than a step of the sweep
				id := fmt.Sprint("t", i)
				write(id)
				if err := c.InTx(ctx, func(tx *sql.Tx) error { return c.End(ctx, tx, id) }); err != nil {
					t.Fatal(err)
				}
				at = at.Add(time.Hour)
			}
			write("at work")
			kept("at first", 120)
			if n, err := c.Prune(ctx, at.Add(-time.Minute)); n != 0 || err != nil {
				t.Errorf("%d pruned, error %v: ended threads are not abandoned", n, err)
			}
			if n, err := c.Sweep(ctx, began.Add(60*time.Hour), 1<<30); n != 60 || err != nil {
				t.Errorf("%d swept by age, error %v; want 60", n, err)
			}
			kept("after a sweep by age", 60)
			k, err := c.Kept(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := c.Sweep(ctx, began, k.Bytes/60*5); n != 55 || err != nil {
				t.Errorf("%d swept by size, error %v; want 55", n, err)
			}
			kept("after a sweep by size", 5)
			for id, want := range map[string]int{"t119": 2, "t114": 0, "at work": 2} {
				found := 0
				for _, err := range c.Load(ctx, id, "", 9, 9) {
					if err != nil {
						t.Fatal(err)
					}
					found++
				}
				if found != want {
					t.Errorf("thread %s has %d records, want %d: the oldest go, and none that is at work", id, found, want)
				}
			}
		})
	}
}
