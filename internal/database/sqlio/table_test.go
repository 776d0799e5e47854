package sqlio_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
)

type machine struct {
	ID     string
	Parts  []string
	Facts  json.RawMessage
	Runs   bool
	Took   time.Duration
	At     time.Time
	Vector []byte
}

var machines = sqlio.Table[machine]{Name: "machines", Row: func(m *machine) sqlio.Row {
	return sqlio.Row{
		"id key", &m.ID, "parts", &m.Parts, "facts", &m.Facts, "runs", &m.Runs, "took", &m.Took, "at fixed", &m.At, "vector", &m.Vector, "words written", "a machine",
	}
}}

func TestTable(t *testing.T) {
	t.Parallel()
	db := open(t)
	_, err := db.ExecContext(t.Context(), `CREATE TABLE machines (id TEXT PRIMARY KEY, parts TEXT, facts TEXT, runs INTEGER, took BIGINT, at BIGINT, vector BLOB, words TEXT)`)
	if err != nil {
		t.Fatal(err)
	}
	want := machine{"m1", []string{"mill", "store"}, json.RawMessage(`{"cogs":9}`), true, time.Second, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), []byte{1, 2}}
	check := func(what string, want machine) {
		t.Helper()
		got, err := sqlio.Collect(t.Context(), db, machines.Scan, machines.Select()+`WHERE id = 'm1' AND words = 'a machine'`)
		if diff := cmp.Diff([]machine{want}, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", what, err, diff)
		}
	}
	for _, fresh := range []bool{true, false} {
		if got, err := machines.Insert(t.Context(), db, &want); got != fresh || err != nil {
			t.Errorf("inserted %t, error %v; want %t", got, err, fresh)
		}
	}
	check("inserted", want)
	changed := want
	changed.ID, changed.Parts, changed.Runs, changed.At = "other", nil, false, time.Time{}
	if err := machines.Update(t.Context(), db, &want, &changed); err != nil {
		t.Fatal(err)
	}
	want.Parts, want.Runs = nil, false // its key and its time stay
	check("updated", want)
	want.Took = time.Minute
	if err := machines.Put(t.Context(), db, &want); err != nil {
		t.Fatal(err)
	}
	check("put", want)
	if err := machines.InsertAll(t.Context(), db, []machine{{ID: "m2"}, {ID: "m1", Runs: true}}, `ON CONFLICT (id) DO UPDATE SET runs = excluded.runs`); err != nil {
		t.Fatal(err)
	}
	want.Runs = true
	check("inserted with another", want)
}
