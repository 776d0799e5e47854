package job_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
)

func TestRunsOfAKilledWorkerAreTakenOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		dead lease.Process
		most time.Duration
	}{
		{"of this machine, at once", lease.Process{Host: "here", Boot: "an earlier boot", PID: 99, Started: "9"}, 0},
		{"of another machine, after its lease", lease.Process{Host: "elsewhere", Boot: "boot", PID: 99, Started: "9"}, 31 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := dbPath(t)
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, path)
				s.add(t, "r1")
				if err := s.Register(t.Context(), "dead", tt.dead); err != nil {
					t.Fatal(err)
				}
				if _, ok, err := s.Claim(t.Context(), "dead", job.Room{"k": {}}, 30*time.Second); !ok || err != nil {
					t.Fatal(ok, err)
				}
				began := time.Now()
				s.startWorker(t, "new", succeed)
				if r := s.wantSettled(t, "r1", job.Done); r.Attempt != 2 {
					t.Errorf("got attempt %d, want 2", r.Attempt)
				}
				if took := time.Since(began); took > tt.most {
					t.Errorf("took over after %v, want at most %v", took, tt.most)
				}
			})
		})
	}
}

func TestStoppedWorkerReleasesItsRuns(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s, next := newFixture(t, path), newFixture(t, path)
		s.add(t, "r1")
		first := s.startWorker(t, "a", waitForStop)
		<-s.began
		stopWorker(t, first)
		if r := s.wantStatus(t, "r1", job.Waiting); r.Attempt != 0 || r.Owner != "" {
			t.Errorf("released: got %+v", r)
		}
		next.startWorker(t, "b", succeed)
		if r := next.wantSettled(t, "r1", job.Done); r.Owner != "b" || r.Attempt != 1 {
			t.Errorf("executed: got %+v", r)
		}
		if len(s.settled) != 0 {
			t.Error("the first worker settled the run that it released")
		}
	})
}

func TestStopDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		let := make(chan struct{})
		s.add(t, "r1")
		w := s.startWorker(t, "a", func(context.Context, job.Run) error { <-let; return nil })
		<-s.began
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v, want the deadline's", err)
		}
		s.wantStatus(t, "r1", job.Running)
		close(let)
		s.wantSettled(t, "r1", job.Done)
	})
}

func TestMisuseOfAWorker(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		w := s.worker("", succeed)
		stopWorker(t, w) // never started
		w.Concurrency = map[string]int{"k": 1, "unknown": 1}
		if err := w.Start(t.Context()); err == nil {
			t.Error("the worker started without a handler for one of its kinds")
		}
		w = s.startWorker(t, "", succeed)
		stopWorker(t, w)
		stopWorker(t, w)
		s.add(t, "r1")
		time.Sleep(time.Minute)
		s.wantStatus(t, "r1", job.Waiting)
	})
}

func TestLostLeaseCancelsTheHandler(t *testing.T) {
	t.Parallel()
	for name, poll := range map[string]time.Duration{"found by a look": 0, "found by a heartbeat": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := dbPath(t)
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, path)
				s.add(t, "r1")
				s.add(t, "r2")
				w := s.worker("a", waitForStop)
				w.Poll = poll
				if err := w.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { stopWorker(t, w) })
				<-s.began
				<-s.began
				if _, err := s.Finish(t.Context(), "r1", "a"); err != nil { // as another worker would
					t.Fatal(err)
				}
				if r := <-s.ended; r.ID != "r1" {
					t.Errorf("the worker stopped %s, which it has", r.ID)
				}
				time.Sleep(10 * time.Second)
				s.wantStatus(t, "r1", job.Done)
				s.wantStatus(t, "r2", job.Running)
				if len(s.settled) != 0 {
					t.Error("the worker settled a run that it had lost")
				}
			})
		})
	}
}

func TestSettlingIsRetried(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		w := s.worker("a", succeed)
		h := w.Handlers["k"]
		errs := []error{errors.New("locked"), nil, domain.Errorf(domain.NotFound, "It is gone."), nil}
		h.Settled = func(_ context.Context, r job.Run, _ job.Mark) error {
			s.settled <- r
			err := errs[0]
			errs = errs[1:]
			return err
		}
		w.Handlers["k"] = h
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer stopWorker(t, w)
		began := time.Now()
		s.add(t, "r1")
		s.wantSettled(t, "r1", job.Done)
		s.wantSettled(t, "r1", job.Done)
		if took := time.Since(began); took > 31*time.Second {
			t.Errorf("retried after %v", took)
		}
		s.add(t, "r2")
		s.wantSettled(t, "r2", job.Done) // its subject is gone, which settles it
		time.Sleep(2 * time.Minute)
		if len(s.settled) != 0 {
			t.Errorf("settled twice: %+v", <-s.settled)
		}
	})
}

// TestAHandlerMarksItsRun marks runs in the handler's transaction: one that comes to
// nothing at first, and one that somebody else has settled meanwhile.
func TestAHandlerMarksItsRun(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		w := s.worker("a", succeed)
		var log bytes.Buffer
		w.Log = slog.New(slog.NewTextHandler(&log, nil))
		h := w.Handlers["k"]
		failing := errors.New("locked")
		h.Settled = func(ctx context.Context, r job.Run, mark job.Mark) error {
			if r.ID == "r2" {
				if _, err := s.db.ExecContext(ctx, `UPDATE runs SET settled = 1, owner = 'b' WHERE id = 'r2'`); err != nil {
					t.Error(err)
				}
			}
			err := sqlio.InTx(ctx, s.db, func(tx *sql.Tx) error {
				err := failing
				failing = nil
				return errors.Join(mark(ctx, tx), err)
			})
			s.settled <- r
			return err
		}
		w.Handlers["k"] = h
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer stopWorker(t, w)
		s.add(t, "r1")
		s.wantSettled(t, "r1", job.Done)
		s.wantSettled(t, "r1", job.Done)
		s.add(t, "r2")
		s.wantSettled(t, "r2", job.Done)
		time.Sleep(2 * time.Minute)
		if len(s.settled) != 0 {
			t.Errorf("settled twice: %+v", <-s.settled)
		}
		if lines := strings.Count(log.String(), "settle a run"); lines != 2 {
			t.Errorf("%d lines on settling, want those of a failure and of its end:\n%s", lines, &log)
		}
	})
}

// TestAFaultIsLoggedOnce removes the queue's table for a minute, in which a
// worker polls 120 times, and does it again: the log has one line for each
// failure and one for each recovery.
func TestAFaultIsLoggedOnce(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		w := s.worker("w", succeed)
		var log bytes.Buffer
		w.Log = slog.New(slog.NewTextHandler(&log, nil))
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer stopWorker(t, w)
		for round := range 2 {
			for _, statement := range []string{`ALTER TABLE runs RENAME TO gone`, `ALTER TABLE gone RENAME TO runs`} {
				if _, err := s.db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
			}
			synctest.Wait()
			for _, line := range []string{`level=ERROR msg="end abandoned runs"`, `level=INFO msg="end abandoned runs: it works again"`} {
				if n := strings.Count(log.String(), line); n != round+1 {
					t.Errorf("after %d faults the log says %d times %s\n%s", round+1, n, line, &log)
				}
			}
		}
	})
}
