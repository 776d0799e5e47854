package sql_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
)

// longThread returns a checkpointer with the records of the given number of steps on
// thread "t", its database and the token.
func longThread(t *testing.T, steps int) (*checkpoint.Checkpointer, *sqlite.DB, int64) {
	t.Helper()
	db := migrated(t)
	c, err := checkpoint.New(t.Context(), db.Writer, db.Reader, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	token, err := c.Acquire(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	for step := range steps + 1 {
		r := stategraph.Record{Kind: stategraph.RecordPlan, Step: step, At: time.Now(), Data: []byte(`{"x":1}`)}
		if step == 0 {
			r.Kind = stategraph.RecordSnapshot
		}
		if err := c.Append(t.Context(), "t", token, []stategraph.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	return c, db, token
}

func TestRecordsOfManyStepsShareRows(t *testing.T) {
	t.Parallel()
	c, db, _ := longThread(t, 500)
	found, err := checkpointtest.Records(c.Load(t.Context(), "t", "", 500, 500))
	if err != nil || len(found) != 501 {
		t.Errorf("%d records, %v; want 501", len(found), err)
	}
	var rows, longest int
	if err := db.Reader.QueryRowContext(t.Context(), `SELECT count(*), max(length(data)) FROM checkpoints`).Scan(&rows, &longest); err != nil {
		t.Fatal(err)
	}
	if rows > 12 || longest > 2000 {
		t.Errorf("500 steps took %d rows of at most %d bytes, want a dozen of at most 2,000", rows, longest)
	}
}

// Threads whose records have a row each can be read and appended to.
func TestRowsOfOneRecordAreRead(t *testing.T) {
	t.Parallel()
	c, db, token := longThread(t, 0)
	at := time.UnixMicro(1_790_000_000_000_000)
	want := []stategraph.Record{
		{Kind: stategraph.RecordPlan, Step: 1, At: at, Data: []byte("one")},
		{Kind: stategraph.RecordWrite, Step: 1, Task: 2, Version: 3, At: at, Data: []byte("two")},
		{Kind: stategraph.RecordPlan, Step: 2, At: at, Data: []byte("three")},
	}
	for _, r := range want[:2] {
		if _, err := db.Writer.ExecContext(t.Context(), `INSERT INTO checkpoints (thread, scope, kind, step, task, version, at, name, data)
			SELECT number, '', ?, ?, ?, ?, ?, '', ? FROM threads`, string(r.Kind), r.Step, r.Task, r.Version, at.UnixMicro(), r.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Append(t.Context(), "t", token, want[2:]); err != nil {
		t.Fatal(err)
	}
	got, err := checkpointtest.Records(c.Load(t.Context(), "t", "", 9, 9))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got[1:]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestADamagedSegmentIsAnError(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"cut short":                `substr(data, 1, length(data) - 1)`,
		"zeroed":                   `zeroblob(length(data))`,
		"something else":           `CAST('{"not":"a segment"}' AS BLOB)`,
		"a length that it has not": `CAST(data || x'fe' AS BLOB)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, db, _ := longThread(t, 20)
			if _, err := db.Writer.ExecContext(t.Context(), `UPDATE checkpoints SET data = `+damage+` WHERE kind = 'segment'`); err != nil {
				t.Fatal(err)
			}
			if found, err := checkpointtest.Records(c.Load(t.Context(), "t", "", 99, 99)); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("%d records, %v; want that a segment is damaged", len(found), err)
			}
		})
	}
}
