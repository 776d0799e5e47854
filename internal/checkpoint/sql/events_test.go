package sql_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit/database"
)

// TestEventsAreKeptInTheTransactionOfTheirRecords stores events in a table of the same
// database: either both are written or neither.
func TestEventsAreKeptInTheTransactionOfTheirRecords(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := migrated(t)
	if _, err := db.Writer.ExecContext(ctx, `CREATE TABLE told (thread TEXT, kind TEXT)`); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	var refuse error
	c, err := checkpoint.New(ctx, db.Writer, db.Reader, time.Now, checkpoint.WithEvents(
		func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error {
			for _, e := range events {
				if _, err := tx.ExecContext(ctx, `INSERT INTO told VALUES (?, ?)`, thread, string(e.Kind)); err != nil {
					return err
				}
			}
			return refuse
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	token, err := c.Acquire(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	event := func(kind stategraph.EventKind) stategraph.Record {
		return stategraph.Record{Kind: stategraph.RecordEvent, Event: &stategraph.Event{Kind: kind}}
	}
	snapshot := stategraph.Record{Kind: stategraph.RecordSnapshot, At: time.Now(), Data: []byte("{}")}
	check := func(what string, records int, told ...string) {
		t.Helper()
		found, err := checkpointtest.Records(c.Load(ctx, "t", "", 9, 9))
		if err != nil || len(found) != records {
			t.Errorf("%s: %d records, %v; want %d", what, len(found), err, records)
		}
		rows, err := db.Reader.QueryContext(ctx, `SELECT thread || ' ' || kind FROM told ORDER BY rowid`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var got []string
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(told, got); rows.Err() != nil || diff != "" {
			t.Errorf("%s: events, %v (-want +got)\n%s", what, rows.Err(), diff)
		}
	}

	refuse = full
	if err := c.Append(ctx, "t", token, []stategraph.Record{event(stategraph.RunStart), snapshot}); !errors.Is(err, full) {
		t.Errorf("got %v, want that events can't be kept", err)
	}
	check("refused", 0)
	refuse = nil
	if err := c.Append(ctx, "t", token, []stategraph.Record{event(stategraph.RunStart), snapshot}); err != nil {
		t.Error(err)
	}
	check("with a record", 1, "t run_start")
	if err := c.Append(ctx, "t", token, []stategraph.Record{event(stategraph.NodeStart)}); err != nil {
		t.Error(err)
	}
	check("alone", 1, "t run_start", "t node_start")
	for _, records := range [][]stategraph.Record{{event(stategraph.NodeEnd)}, {event(stategraph.NodeEnd), snapshot}} {
		if err := c.Append(ctx, "t", token+1, records); !errors.Is(err, stategraph.ErrThreadTaken) {
			t.Errorf("got %v, want ErrThreadTaken", err)
		}
	}
	check("by somebody else", 1, "t run_start", "t node_start")
}

func TestEventsWithoutAKeeperAreAnError(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	c, err := checkpoint.New(t.Context(), db.Writer, db.Reader, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	token, err := c.Acquire(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	err = c.Append(t.Context(), "t", token, []stategraph.Record{
		{Kind: stategraph.RecordSnapshot, At: time.Now(), Data: []byte("{}")},
		{Kind: stategraph.RecordEvent, Event: &stategraph.Event{Kind: stategraph.RunStart}},
	})
	if err == nil || !strings.Contains(err.Error(), "nowhere to keep") {
		t.Errorf("got %v, want an error that says that events are not kept", err)
	}
	if found, err := checkpointtest.Records(c.Load(t.Context(), "t", "", 9, 9)); err != nil || len(found) > 0 {
		t.Errorf("the snapshot beside the event was written: %v, %v", found, err)
	}
}

// migrated opens an empty, migrated database.
func migrated(t testing.TB) *sqlite.DB {
	t.Helper()
	return database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
}
