package job_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

func retries(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "r1", func(r *job.Run) { r.MaxAttempts = 2 })
	b.claim(t, "a", "r1")
	next := b.at.Add(time.Minute)
	r, err := b.Fail(ctx, "r1", "a", domain.Errorf(domain.Invalid, "no answer"), next)
	must(t, err)
	if r.Status != job.Waiting || r.Problem != "no answer" || !r.NextTry.Equal(next) || r.Owner != "" || !r.LeaseUntil.IsZero() || !r.FinishedAt.IsZero() {
		t.Errorf("put off: got %+v", r)
	}
	b.pass(time.Minute - time.Millisecond)
	b.claim(t, "a", "")
	b.pass(time.Millisecond)
	if r := b.claim(t, "a", "r1"); r.Attempt != 2 {
		t.Errorf("second attempt: got number %d", r.Attempt)
	}
	r, err = b.Fail(ctx, "r1", "a", domain.Errorf(domain.Invalid, "no answer again"), b.at.Add(time.Minute))
	must(t, err)
	if r.Status != job.Failed || r.Problem != "no answer again" || !r.FinishedAt.Equal(*b.at) {
		t.Errorf("after the last attempt: got %+v", r)
	}
	b.pass(time.Hour)
	b.claim(t, "a", "")

	b.add(t, "r2")
	b.claim(t, "a", "r2")
	if r, err = b.Fail(ctx, "r2", "a", domain.Errorf(domain.Invalid, "for good"), time.Time{}); err != nil || r.Status != job.Failed || r.Attempt != 1 {
		t.Errorf("failed for good: got %+v, error %v", r, err)
	}
}

func release(t *testing.T, b bench) {
	b.add(t, "r1", func(r *job.Run) { r.MaxAttempts = 1 })
	for range 3 { // releasing uses up no attempts
		if r := b.claim(t, "a", "r1"); r.Attempt != 1 {
			t.Errorf("got attempt %d, want 1", r.Attempt)
		}
		r, err := b.Release(t.Context(), "r1", "a")
		must(t, err)
		if r.Status != job.Waiting || r.Owner != "" || !r.LeaseUntil.IsZero() {
			t.Errorf("released: got %+v", r)
		}
	}
	b.claim(t, "b", "r1")
}

func stop(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "waits")
	must(t, b.Stop(ctx, ws, "waits"))
	if r := b.wantStatus(t, "waits", job.Stopped); !r.FinishedAt.Equal(*b.at) {
		t.Errorf("stopped: got %+v", r)
	}
	b.claim(t, "a", "")

	b.add(t, "runs")
	b.claim(t, "a", "runs")
	must(t, b.Stop(ctx, ws, "runs"))
	b.wantStatus(t, "runs", job.Running)
	b.wantExtended(t, "a", []domain.RunID{"runs"}, "runs") // until it has stopped
	if owned, err := b.LeasedTo(ctx, "a"); err != nil || len(owned) != 1 || !owned[0].StopAsked {
		t.Errorf("got runs of a %+v, error %v, want the run with its stop request", owned, err)
	}
	_, err := b.ConfirmStop(ctx, "runs", "a")
	must(t, err)
	b.wantStatus(t, "runs", job.Stopped)

	b.add(t, "done")
	b.claim(t, "a", "done")
	_, err = b.Finish(ctx, "done", "a")
	must(t, err)
	must(t, b.Stop(ctx, ws, "done"))
	if r := b.wantStatus(t, "done", job.Done); r.StopAsked {
		t.Error("a finished run was asked to stop")
	}
	wantKind(t, b.Stop(ctx, ws, "gone"), domain.NotFound)
	wantKind(t, b.Stop(ctx, "another", "done"), domain.NotFound)

	stopBeforeRetry(t, b)
}

// stopBeforeRetry asks a run to stop; the attempt fails or is released before
// its worker notices. It must not be retried.
func stopBeforeRetry(t *testing.T, b bench) {
	t.Helper()
	ctx := t.Context()
	b.add(t, "fails")
	b.claim(t, "a", "fails")
	must(t, b.Stop(ctx, ws, "fails"))
	_, err := b.Fail(ctx, "fails", "a", domain.Errorf(domain.Invalid, "no answer"), b.at.Add(time.Second))
	must(t, err)
	b.wantStatus(t, "fails", job.Failed)

	b.add(t, "released")
	b.claim(t, "a", "released")
	must(t, b.Stop(ctx, ws, "released"))
	_, err = b.Release(ctx, "released", "a")
	must(t, err)
	b.claim(t, "b", "")
	if n, err := b.Reap(ctx); err != nil || n != 1 {
		t.Errorf("got %d reaped, error %v, want the released one", n, err)
	}
	b.wantStatus(t, "released", job.Stopped)
}

func abandonedRuns(t *testing.T, b bench) {
	ctx := t.Context()
	b.add(t, "crashes", func(r *job.Run) { r.MaxAttempts = 1 }) // and may be abandoned four times
	b.add(t, "stopped", func(r *job.Run) { r.Priority = -1 })
	b.add(t, "goes on", func(r *job.Run) { r.Priority = -2 })
	b.claim(t, "a", "crashes")
	b.claim(t, "a", "stopped")
	must(t, b.Stop(ctx, ws, "stopped"))
	if n, err := b.Reap(ctx); err != nil || n != 0 {
		t.Errorf("got %d reaped before any lease ended, error %v", n, err)
	}
	for range 3 {
		b.pass(leaseLength)
		b.claim(t, "b", "crashes")
	}
	b.claim(t, "b", "goes on")
	b.pass(leaseLength)
	n, err := b.Reap(ctx)
	must(t, err)
	if n != 2 {
		t.Errorf("got %d reaped, want 2", n)
	}
	if r := b.wantStatus(t, "crashes", job.Failed); r.Problem == "" || r.FinishedAt.IsZero() {
		t.Errorf("failed: got %+v, want a problem", r)
	}
	if r := b.wantStatus(t, "stopped", job.Stopped); r.Problem != "" {
		t.Errorf("stopped: got %+v, want no problem", r)
	}
	b.claim(t, "c", "goes on")
	b.claim(t, "c", "")
}

func settling(t *testing.T, b bench) {
	ctx := t.Context()
	ended := func(owner string, want domain.RunID) {
		t.Helper()
		r, ok, err := b.ClaimEnded(ctx, owner, []string{"k"}, leaseLength)
		must(t, err)
		if ok != (want != "") || r.ID != want {
			t.Errorf("%s claimed ended run %q, want %q", owner, r.ID, want)
		}
	}
	b.add(t, "r1")
	ended("b", "")
	b.claim(t, "a", "r1")
	ended("b", "")
	wantKind(t, b.MarkSettled(ctx, "r1", "a"), domain.Conflict) // it has not ended
	_, err := b.Finish(ctx, "r1", "a")
	must(t, err)
	ended("b", "") // its owner is busy
	b.pass(leaseLength)
	ended("b", "r1") // the owner died
	ended("c", "")
	wantKind(t, b.MarkSettled(ctx, "r1", "a"), domain.Conflict)
	must(t, b.MarkSettled(ctx, "r1", "b"))
	b.pass(time.Hour)
	ended("b", "")

	b.add(t, "r2")
	must(t, b.Stop(ctx, ws, "r2"))
	ended("b", "r2") // at once: it has no owner
	b.add(t, "r3", func(r *job.Run) { r.Kind = "other" })
	must(t, b.Stop(ctx, ws, "r3"))
	ended("b", "")
	if _, ok, err := b.ClaimEnded(ctx, "b", nil, leaseLength); ok || err != nil {
		t.Errorf("without kinds: got %v, error %v", ok, err)
	}
}
