package job_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// slots is the concurrency of the fixture's workers, and waiting how many of their runs may wait without a slot.
const slots, waiting = 2, 64

// waitAside waits without a slot until the run's context ends or let is closed, and then for a minute with one.
func waitAside(let <-chan struct{}) func(context.Context, job.Run) error {
	return func(ctx context.Context, _ job.Run) error {
		err := job.WithoutSlot(ctx, func() error {
			select {
			case <-let:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err == nil {
			time.Sleep(time.Minute)
		}
		return err
	}
}

// addMany adds runs r1 to rn.
func (s *fixture) addMany(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		s.add(t, domain.RunID(fmt.Sprint("r", i+1)))
	}
}

// TestARunThatWaitsTakesNoSlot starts more runs than there are slots while the first ones wait, up to a limit, and none in
// place of those that came back.
func TestARunThatWaitsTakesNoSlot(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s, let := newFixture(t, path), make(chan struct{})
		s.addMany(t, slots+waiting+9)
		s.startWorker(t, "a", waitAside(let))
		time.Sleep(2 * time.Minute) // longer than a lease, which heartbeats extend
		if n := len(s.began); n != slots+waiting {
			t.Errorf("%d runs began while they waited, want %d", n, slots+waiting)
		}
		close(let)
		time.Sleep(30 * time.Second)
		if n := len(s.began); n != slots+waiting {
			t.Errorf("%d runs began while those that waited go on, want none beside the first %d", n, slots+waiting)
		}
		for range slots + waiting + 9 {
			if r := <-s.settled; r.Status != job.Done || r.Attempt != 1 {
				t.Errorf("run %s: got %s after %d attempts", r.ID, r.Status, r.Attempt)
			}
		}
	})
}

// TestWithoutASlotARunIsStillItsWorkers stops one waiting run and takes another away, then stops the worker.
func TestWithoutASlotARunIsStillItsWorkers(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		s.addMany(t, 4)
		w := s.startWorker(t, "a", waitAside(nil))
		synctest.Wait()
		if err := s.Stop(t.Context(), ws, "r1"); err != nil {
			t.Fatal(err)
		}
		s.wantSettled(t, "r1", job.Stopped)
		if _, err := s.Finish(t.Context(), "r2", "a"); err != nil { // as another worker would
			t.Fatal(err)
		}
		for range 2 {
			<-s.ended
		}
		stopWorker(t, w)
		s.wantStatus(t, "r1", job.Stopped)
		s.wantStatus(t, "r2", job.Done)
		for _, id := range []domain.RunID{"r3", "r4"} {
			if r := s.wantStatus(t, id, job.Waiting); r.Attempt != 0 || r.Owner != "" {
				t.Errorf("released: got %+v", r)
			}
		}
	})
}

// TestWithoutASlotOutsideOfAHandler calls the function, and returns its error.
func TestWithoutASlotOutsideOfAHandler(t *testing.T) {
	t.Parallel()
	want := domain.Errorf(domain.Conflict, "no")
	if err := job.WithoutSlot(t.Context(), func() error { return want }); err != want {
		t.Errorf("got error %v, want %v", err, want)
	}
}
