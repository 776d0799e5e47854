package job_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// withinATransaction adds runs in a transaction with another write, which fails
// once.
func withinATransaction(t *testing.T, b bench) {
	ctx := t.Context()
	for id, fails := range map[domain.RunID]error{"never": errors.New("the other change failed"), "kept": nil} {
		err := sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error {
			_, err := b.AddTx(ctx, tx, job.Run{Workspace: ws, ID: id, Kind: "k"})
			return errors.Join(err, fails)
		})
		if !errors.Is(err, fails) {
			t.Errorf("%s: got error %v, want %v", id, err, fails)
		}
	}
	_, err := b.Get(ctx, ws, "never")
	wantKind(t, err, domain.NotFound)
	b.Announce()
	if r := b.claim(t, "o", "kept"); r.Attempt != 1 {
		t.Errorf("claimed: got %+v", r)
	}
}

// sleep puts a run to sleep and wakes it.
func sleep(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	r, err := b.Sleep(ctx, b.claim(t, "o", "r1"), "o")
	must(t, err)
	if !r.Status.Asleep() || r.Attempt != 0 {
		t.Errorf("asleep: got %+v", r)
	}
	b.pass(1000 * time.Hour)
	b.claim(t, "o", "")
	for _, want := range []bool{true, false} {
		if slept, err := b.Wake(ctx, ws, "r1"); slept != want || err != nil {
			t.Errorf("woken: got %t, error %v, want %t", slept, err, want)
		}
	}
	if slept, err := b.Wake(ctx, "another", "r1"); slept || err != nil {
		t.Errorf("woken from another workspace: got %t, error %v", slept, err)
	}
	b.claim(t, "o", "r1")

	err = sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error {
		r, err := b.AddTx(ctx, tx, job.Run{Status: job.Held, Workspace: ws, ID: "r2", Kind: "k"})
		if !r.Status.Asleep() {
			t.Errorf("added held: got %+v", r)
		}
		return err
	})
	must(t, err)
	must(t, b.RetryAll(ctx, ws))
	b.claim(t, "o", "")
	if slept, err := b.Wake(ctx, ws, "r2"); !slept || err != nil {
		t.Errorf("woken: got %t, error %v", slept, err)
	}
	b.claim(t, "o", "r2")
}

// states has runs wait for a cap and for a person who paused them.
func states(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	b.claim(t, "o", "r1")
	r, err := b.Postpone(ctx, "r1", "o", domain.Cappedf(time.Hour, "The cap is reached."), b.at.Add(time.Hour))
	if must(t, err); r.Status != job.Capped || r.Problem != "The cap is reached." || r.ProblemKind != domain.Capped || r.Attempt != 0 {
		t.Errorf("at a cap: got %+v", r)
	}
	b.claim(t, "o", "")
	b.pass(time.Hour)
	b.claim(t, "o", "r1")
	_, err = b.Postpone(ctx, "r1", "o", domain.Cappedf(time.Hour, "The cap is reached."), b.at.Add(time.Hour))
	must(t, err)
	must(t, b.RetryAll(ctx, ws))
	b.claim(t, "o", "r1")
	_, err = b.Postpone(ctx, "r1", "o", domain.Errorf(domain.Unavailable, "No answer."), b.at.Add(time.Hour))
	must(t, err)
	if r := b.wantStatus(t, "r1", job.Waiting); r.ProblemKind != domain.Unavailable {
		t.Errorf("put off: got %+v", r)
	}

	b.add(t, "r2", func(r *job.Run) { r.Input = []byte("its bill, which was accepted") })
	if n, err := b.Pause(ctx, ws, "k"); n != 2 || err != nil {
		t.Errorf("paused %d runs, error %v", n, err)
	}
	b.wantStatus(t, "r2", job.Paused)
	must(t, b.RetryAll(ctx, ws))
	b.claim(t, "o", "")
	if n, err := b.GoOn(ctx, ws, "k"); n != 2 || err != nil {
		t.Errorf("went on with %d runs, error %v", n, err)
	}
	if paused, err := b.PauseOne(ctx, ws, "r1"); !paused || err != nil {
		t.Errorf("paused one: %t, error %v", paused, err)
	}
	must(t, b.Prefer(ctx, ws, "r1"))
	b.claim(t, "o", "r1")
	if paused, err := b.PauseOne(ctx, ws, "r1"); paused || err != nil {
		t.Errorf("paused one that is running: %t, error %v", paused, err)
	}
	if paused, err := b.PauseOne(ctx, ws, "r2"); !paused || err != nil {
		t.Errorf("paused another: %t, error %v", paused, err)
	}
	must(t, b.Stop(ctx, ws, "r2"))
	b.wantStatus(t, "r2", job.Stopped)
}

// reply replies to a run that sleeps, to one that is about to, and to one that
// has ended or has been replied to, and once in a transaction that fails.
func reply(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1", func(r *job.Run) { r.Input = []byte("asked") })
	replied := func(before, after string, want bool) {
		t.Helper()
		if ok, err := b.Reply(ctx, ws, "r1", []byte(before), []byte(after)); ok != want || err != nil {
			t.Errorf("reply to %s: got %t, error %v, want %t", before, ok, err, want)
		}
	}
	asleep := func(r job.Run, want bool) {
		t.Helper()
		r, err := b.Sleep(ctx, r, "o")
		if must(t, err); r.Status.Asleep() != want {
			t.Errorf("asleep: got %+v, want %t", r, want)
		}
	}
	asleep(b.claim(t, "o", "r1"), true)
	replied("another", "lost", false)
	failed := errors.New("the other change failed")
	err := sqlio.InTx(ctx, b.db, func(tx *sql.Tx) error {
		ok, err := b.ReplyTx(ctx, tx, ws, "r1", []byte("asked"), []byte("lost"))
		if !ok {
			t.Error("the reply was not taken")
		}
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Errorf("got error %v", err)
	}
	b.claim(t, "o", "")
	replied("asked", "first", true)
	r := b.claim(t, "o", "r1")
	if string(r.Input) != "first" || r.Attempt != 1 {
		t.Errorf("claimed: got %+v", r)
	}
	replied("first", "second", true)
	asleep(r, false)
	if ok, err := b.Reply(ctx, "another", "r1", []byte("second"), nil); ok || err != nil {
		t.Errorf("reply from another workspace: got %t, error %v", ok, err)
	}
	r = b.claim(t, "o", "r1")
	_, err = b.Finish(ctx, r.ID, "o")
	must(t, err)
	replied("second", "late", false)
}

// one claims a waiting run by its id, before others and once.
func one(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1")
	b.add(t, "r2")
	for _, want := range []bool{true, false} {
		r, ok, err := b.ClaimOne(ctx, "r2", "o", leaseLength)
		if must(t, err); ok != want || ok && (r.ID != "r2" || r.Attempt != 1 || r.Owner != "o") {
			t.Errorf("claimed: got %t, %+v, want %t", ok, r, want)
		}
	}
	_, err := b.Sleep(ctx, b.claim(t, "o", "r1"), "o")
	must(t, err)
	if _, ok, err := b.ClaimOne(ctx, "r1", "o", leaseLength); ok || err != nil {
		t.Errorf("claimed a run that sleeps: %t, error %v", ok, err)
	}
}

// progress abandons a run that makes progress more often than one without
// progress may be.
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
				t.Fatalf("claimed: got %+v", r)
			}
			b.pass(leaseLength)
		}
		further("r1")
		if r := b.wantStatus(t, "r1", job.Running); r.Attempt != 1 {
			t.Fatalf("after progress: got %+v", r)
		}
	}
	further("unknown")
}
