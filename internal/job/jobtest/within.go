package jobtest

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/sqlio"
)

// withinATransaction adds runs together with something else, which fails once.
func withinATransaction(t *testing.T, b bench) {
	ctx := t.Context()
	for id, fails := range map[domain.RunID]error{"never": errors.New("the other change failed"), "kept": nil} {
		err := sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error {
			_, err := b.AddTx(ctx, tx, job.Run{Workspace: ws, ID: id, Kind: "k"})
			return errors.Join(err, fails)
		})
		if !errors.Is(err, fails) {
			t.Errorf("%s: error %v, want %v", id, err, fails)
		}
	}
	_, err := b.Get(ctx, ws, "never")
	wantKind(t, err, domain.NotFound)
	b.Announce()
	if r := b.claim(t, "o", "kept"); r.Attempt != 1 {
		t.Errorf("claimed as %+v", r)
	}
}

// sleep puts a run aside and wakes it, once together with something else that
// fails.
func sleep(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	b.claim(t, "o", "r1")
	r, err := b.Sleep(ctx, "r1", "o")
	must(t, err)
	if !r.Asleep() || r.Attempt != 0 {
		t.Errorf("put aside as %+v", r)
	}
	b.pass(1000 * time.Hour)
	b.claim(t, "o", "")
	failed := errors.New("the other change failed")
	err = sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error {
		slept, err := b.WakeTx(ctx, tx, ws, "r1")
		if !slept {
			t.Error("it does not sleep")
		}
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	b.claim(t, "o", "")
	for _, want := range []bool{true, false} {
		if slept, err := b.Wake(ctx, ws, "r1"); slept != want || err != nil {
			t.Errorf("woken: %t, %v, want %t", slept, err, want)
		}
	}
	if slept, err := b.Wake(ctx, "another", "r1"); slept || err != nil {
		t.Errorf("woken from another workspace: %t, %v", slept, err)
	}
	b.claim(t, "o", "r1")
}

// progress abandons a run more often than any may be that gets nowhere.
func progress(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1", func(r *job.Run) { r.MaxAttempts = 1 }) // and may be abandoned four times
	further := func(id domain.RunID) {
		t.Helper()
		must(t, sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error { return b.Progressed(ctx, tx, ws, id) }))
	}
	for range 4 {
		for n := range 3 {
			if r := b.claim(t, "o", "r1"); r.Attempt > n+2 {
				t.Fatalf("claimed as %+v", r)
			}
			b.pass(lease)
		}
		further("r1")
		if r := b.wantStatus(t, "r1", job.Running); r.Attempt != 1 {
			t.Fatalf("got further as %+v", r)
		}
	}
	further("unknown")
}
