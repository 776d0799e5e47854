package job_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

func TestTakeAndDo(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		server, s := newFixture(t, path), newFixture(t, path)
		server.startWorker(t, "server", succeed)
		mine := s.worker("mine", func(context.Context, job.Run) error { time.Sleep(2 * time.Minute); return nil })
		mine.Concurrency = nil // claims nothing
		if err := mine.Start(ctx); err != nil {
			t.Fatal(err)
		}
		defer stopWorker(t, mine)
		for _, id := range []domain.RunID{"r1", "stopped", "given back"} {
			s.take(t, mine, id)
		}
		time.Sleep(2 * time.Minute) // heartbeats keep the leases
		r, err := mine.Do(ctx, "r1")
		if err != nil || r.Status != job.Done || r.Owner != "mine" {
			t.Errorf("got %+v, error %v", r, err)
		}
		s.wantSettled(t, "r1", job.Done)

		if err := server.Stop(ctx, ws, "stopped"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if r, err = mine.Do(ctx, "stopped"); err != nil || r.Status != job.Stopped {
			t.Errorf("stopped before the start: got %+v, error %v", r, err)
		}
		_, err = mine.Do(ctx, "r1")
		if domain.KindOf(err) != domain.NotFound {
			t.Errorf("got error %v for a finished run", err)
		}

		stopWorker(t, mine)
		if r := server.wantSettled(t, "given back", job.Done); r.Owner != "server" {
			t.Errorf("released run: done by %s", r.Owner)
		}
		if len(server.began) != 1 {
			t.Errorf("the server began %d runs, want the released one", len(server.began))
		}
	})
}

func TestDoReleasesTheRunWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, path)
		w := s.worker("mine", waitForStop)
		w.Concurrency = nil
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer stopWorker(t, w)
		s.take(t, w, "r1")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		second := make(chan error, 1)
		go func() {
			<-s.began
			_, err := w.Do(ctx, "r1")
			second <- err
		}()
		r, err := w.Do(ctx, "r1")
		if err != nil || r.Status != job.Waiting {
			t.Errorf("after the context ended: got %+v, error %v", r, err)
		}
		if err := <-second; domain.KindOf(err) != domain.Conflict {
			t.Errorf("got error %v for a run in progress", err)
		}
	})
}
