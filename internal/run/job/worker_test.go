package job_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
)

// The worker's tests run in a synctest bubble: time advances only while every
// goroutine waits.

const ws domain.WorkspaceID = "w1"

var here = lease.Process{Host: "here", Boot: "boot", PID: 1, Started: "1"}

// fixture is a queue with the runs that its handlers have seen.
type fixture struct {
	*job.Queue
	db           *sql.DB
	began, ended chan job.Run // sent by handlers
	settled      chan job.Run
}

func newFixture(t *testing.T, path string) *fixture {
	t.Helper()
	q, db := open(t, path, time.Now)
	return &fixture{
		Queue: q, db: db,
		began: make(chan job.Run, 100), ended: make(chan job.Run, 100), settled: make(chan job.Run, 100),
	}
}

// take adds a run that the worker executes itself.
func (s *fixture) take(t *testing.T, w *job.Worker, id domain.RunID) {
	t.Helper()
	taking := w.Take()
	if err := sqlio.InTx(t.Context(), s.db, func(tx *sql.Tx) error {
		_, err := taking.AddTx(t.Context(), tx, job.Run{Workspace: ws, ID: id, Kind: "k"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	taking.Announce()
}

// startWorker starts a worker that executes runs of kind "k" with handle.
func (s *fixture) startWorker(t *testing.T, owner string, handle func(context.Context, job.Run) error) *job.Worker {
	t.Helper()
	w := s.worker(owner, handle)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopWorker(t, w) })
	return w
}

func (s *fixture) worker(owner string, handle func(context.Context, job.Run) error) *job.Worker {
	return &job.Worker{
		Queue: s.Queue, Concurrency: map[string]int{"k": 2}, Process: here, Owner: owner,
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Handlers: map[string]job.Handler{"k": {
			Handle: func(ctx context.Context, r job.Run) error {
				s.began <- r
				defer func() { s.ended <- r }()
				return handle(ctx, r)
			},
			Settled: func(_ context.Context, r job.Run, _ job.Mark) error { s.settled <- r; return nil },
		}},
	}
}

// TestKindsTakeTurns lets a document begin while hundreds of questions wait, and
// the reverse, however many of them may run at a time.
func TestKindsTakeTurns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		for kind, n := range map[string]int{"question": 300, "document": 1, "summary": 60} {
			for i := range n {
				priority := map[string]int{"question": 10, "summary": 5}[kind]
				if _, err := s.Add(t.Context(), job.Run{Workspace: ws, ID: domain.RunID(fmt.Sprint(kind, i)), Kind: kind, Priority: priority}); err != nil {
					t.Fatal(err)
				}
			}
		}
		w := s.worker("o", nil)
		began, all := []string{}, make(chan struct{}, 1)
		handler := job.Handler{Handle: func(ctx context.Context, r job.Run) error {
			all <- struct{}{}
			began = append(began, r.Kind)
			<-all
			<-ctx.Done()
			return ctx.Err()
		}}
		w.Handlers = map[string]job.Handler{"question": handler, "document": handler, "summary": handler}
		w.Concurrency = map[string]int{"question": 300, "document": 2, "summary": 50}
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, kind := range []string{"document", "summary"} {
			if at := slices.Index(began, kind); at < 0 || at > 150 {
				t.Errorf("the first %s began as number %d of %d", kind, at+1, len(began))
			}
		}
		stopWorker(t, w)
	})
}

// TestRunsWaitForRoomOnTheDisk fails a run of a kind that does not wait for
// servers more often than it may be tried.
func TestRunsWaitForRoomOnTheDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clew.db")
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		tries := 0
		w := s.startWorker(t, "o", func(context.Context, job.Run) error {
			if tries++; tries <= 2*job.DefaultAttempts {
				return domain.Errorf(domain.Exhausted, "The disk is full.")
			}
			return nil
		})
		s.add(t, "r1")
		<-s.ended
		synctest.Wait()
		if r := s.wantStatus(t, "r1", job.Waiting); r.Problem != "The disk is full." || r.NextTry.IsZero() {
			t.Errorf("while the disk is full: %+v", r)
		}
		s.wantSettled(t, "r1", job.Done)
		stopWorker(t, w)
	})
}

// stopWorker stops a worker; the bubble's context has ended by then.
func stopWorker(t *testing.T, w *job.Worker) {
	t.Helper()
	if err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func (s *fixture) add(t *testing.T, id domain.RunID) {
	t.Helper()
	if _, err := s.Add(t.Context(), job.Run{Workspace: ws, ID: id, Kind: "k"}); err != nil {
		t.Fatal(err)
	}
}

func (s *fixture) wantStatus(t *testing.T, id domain.RunID, want job.Status) job.Run {
	t.Helper()
	r, err := s.Get(t.Context(), ws, id)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != want {
		t.Errorf("run %s: got %s (%s), want %s", id, r.Status, r.Problem, want)
	}
	return r
}

// wantSettled checks the id and status of the next settled run.
func (s *fixture) wantSettled(t *testing.T, id domain.RunID, want job.Status) job.Run {
	t.Helper()
	r := <-s.settled
	if r.ID != id || r.Status != want {
		t.Errorf("got run %s settled as %s, want %s as %s", r.ID, r.Status, id, want)
	}
	return r
}

func succeed(context.Context, job.Run) error { return nil }

// waitForStop runs until its context ends.
func waitForStop(ctx context.Context, _ job.Run) error {
	<-ctx.Done()
	return ctx.Err()
}

func dbPath(t *testing.T) string { return filepath.Join(t.TempDir(), "clew.db") }

func TestWorkerExecutesRuns(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		s.add(t, "before")
		s.startWorker(t, "a", succeed)
		s.wantSettled(t, "before", job.Done)
		began := time.Now()
		s.add(t, "after")
		s.wantSettled(t, "after", job.Done)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a run added in the same process waited for %v", waited)
		}
		synctest.Wait()
		s.wantStatus(t, "after", job.Done)
	})
}

func TestWorkerSeesRunsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s, other := newFixture(t, path), newFixture(t, path)
		s.startWorker(t, "a", succeed)
		synctest.Wait()
		began := time.Now()
		other.add(t, "r1")
		s.wantSettled(t, "r1", job.Done)
		if waited := time.Since(began); waited > 500*time.Millisecond {
			t.Errorf("the run waited for %v", waited)
		}
	})
}

func TestWorkerRespectsItsConcurrency(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		var going, most atomic.Int32
		for _, id := range []domain.RunID{"r1", "r2", "r3", "r4", "r5"} {
			s.add(t, id)
		}
		s.startWorker(t, "a", func(context.Context, job.Run) error {
			n := going.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(time.Minute) // longer than a lease, which heartbeats extend
			going.Add(-1)
			return nil
		})
		for range 5 {
			if r := <-s.settled; r.Status != job.Done || r.Attempt != 1 {
				t.Errorf("run %s: got %s after %d attempts", r.ID, r.Status, r.Attempt)
			}
		}
		if most.Load() != 2 {
			t.Errorf("got %d runs at once, want 2", most.Load())
		}
	})
}

func TestStopReachesTheHandlerWithinASecond(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s, other := newFixture(t, path), newFixture(t, path)
		s.startWorker(t, "a", waitForStop)
		for id, from := range map[domain.RunID]*fixture{"same process": s, "other process": other} {
			s.add(t, id)
			<-s.began
			time.Sleep(3*time.Second + 123*time.Millisecond)
			asked := time.Now()
			if err := from.Stop(t.Context(), ws, id); err != nil {
				t.Fatal(err)
			}
			<-s.ended
			if took := time.Since(asked); took > 500*time.Millisecond {
				t.Errorf("%s: the stop took %v", id, took)
			}
			s.wantSettled(t, id, job.Stopped)
			synctest.Wait()
			s.wantStatus(t, id, job.Stopped)
		}
	})
}

func TestStoppedWaitingRunIsSettled(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		s.add(t, "r1")
		if err := s.Stop(t.Context(), ws, "r1"); err != nil {
			t.Fatal(err)
		}
		s.startWorker(t, "a", succeed)
		s.wantSettled(t, "r1", job.Stopped)
		if len(s.began) != 0 {
			t.Error("a stopped run was started")
		}
	})
}

// fault is an error like a model's: As turns it into a *domain.Error.
type fault struct{ kind domain.Kind }

func (f fault) Error() string { return "The model does not answer." }

func (f fault) As(target any) bool {
	d, ok := target.(**domain.Error)
	if ok {
		*d = &domain.Error{Kind: f.kind, Message: f.Error(), Err: f}
	}
	return ok
}

func TestFailures(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom with inner details")
	for _, tt := range []struct {
		name     string
		err      error
		attempts int
		problem  string
	}{
		{"unavailable", domain.Errorf(domain.Unavailable, "The store does not answer."), 3, "The store does not answer."},
		{"temporary", errors.Join(errors.New("grade"), fault{domain.Unavailable}), 3, "The model does not answer."},
		{"not temporary", fault{domain.Invalid}, 1, "The model does not answer."},
		{"invalid", domain.Errorf(domain.Invalid, "The file is empty."), 1, "The file is empty."},
		{"internal", boom, 1, "Something went wrong inside the program. See its log for details, under run r1."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := dbPath(t)
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, path)
				if _, err := s.Add(t.Context(), job.Run{Workspace: ws, ID: "r1", Kind: "k", MaxAttempts: 3}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				s.startWorker(t, "a", func(context.Context, job.Run) error { return tt.err })
				r := s.wantSettled(t, "r1", job.Failed)
				if r.Attempt != tt.attempts || r.Problem != tt.problem {
					t.Errorf("got %d attempts and problem %q, want %d and %q", r.Attempt, r.Problem, tt.attempts, tt.problem)
				}
				var want time.Duration
				for i := 1; i < tt.attempts; i++ {
					want += job.Backoff(i)
				}
				if took := time.Since(began); took < want || took > want+time.Second {
					t.Errorf("took %v, want %v", took, want)
				}
			})
		})
	}
}

// TestFaultAServerAwayForAnHourCostsWaiting: not the run, which has three attempts, and
// few calls.
func TestFaultAServerAwayForAnHourCostsWaiting(t *testing.T) {
	t.Parallel()
	for name, asks := range map[string]bool{"that says for how long": true, "that says nothing": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := dbPath(t)
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, path)
				began := time.Now()
				back := began.Add(time.Hour)
				tries := 0
				w := s.worker("a", func(context.Context, job.Run) error {
					tries++
					away := domain.Errorf(domain.Unavailable, "The model does not answer.")
					switch wait := time.Until(back); {
					case wait <= 0:
						return nil
					case asks:
						away.Retry.After = wait
					}
					return away
				})
				w.Poll, w.Heartbeat, w.Lease = 20*time.Second, 10*time.Minute, time.Hour // an hour of looking every half second takes long
				h := w.Handlers["k"]
				h.WaitsForServers = true
				w.Handlers["k"] = h
				if err := w.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				defer stopWorker(t, w)
				if _, err := s.Add(t.Context(), job.Run{Workspace: ws, ID: "r1", Kind: "k", MaxAttempts: 3}); err != nil {
					t.Fatal(err)
				}
				s.wantSettled(t, "r1", job.Done)
				if took := time.Since(began); took < time.Hour || took > time.Hour+3*time.Minute || tries > 50 || asks && tries != 2 {
					t.Errorf("took %s and %d tries", took, tries)
				}
			})
		})
	}
}

func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		s.startWorker(t, "a", func(context.Context, job.Run) error { panic("secret words") })
		s.add(t, "r1")
		if r := s.wantSettled(t, "r1", job.Failed); strings.Contains(r.Problem, "secret") {
			t.Errorf("the problem reveals the panic: %q", r.Problem)
		}
	})
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	want := []time.Duration{5 * time.Second, 15 * time.Second, 45 * time.Second, 135 * time.Second, 405 * time.Second, 10 * time.Minute, 10 * time.Minute}
	for i := range want {
		if got := job.Backoff(i + 1); got != want[i] {
			t.Errorf("after %d attempts: got a delay of %v, want %v", i+1, got, want[i])
		}
	}
	if diff := cmp.Diff(10*time.Minute, job.Backoff(1_000_000)); diff != "" {
		t.Error(diff)
	}
}

// TestAnExpectedFailureIsNoFault has a run fail whose purpose is to find that out: it
// ends as any other that fails, and the log has no error.
func TestAnExpectedFailureIsNoFault(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		if _, err := s.Add(t.Context(), job.Run{Workspace: ws, ID: "r1", Kind: "k", MaxAttempts: 3}); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		w := s.worker("a", func(context.Context, job.Run) error {
			return &job.ExpectedError{Err: domain.Errorf(domain.Invalid, "It was not asked before.")}
		})
		w.Log = slog.New(slog.NewTextHandler(&log, nil))
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.wantSettled(t, "r1", job.Failed); r.Attempt != 1 || r.Problem != "It was not asked before." {
			t.Errorf("got %d attempts and problem %q", r.Attempt, r.Problem)
		}
		stopWorker(t, w)
		if !strings.Contains(log.String(), `level=INFO msg="run failed"`) || strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("the log says\n%s", &log)
		}
	})
}
