package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Handler carries out the runs of one kind.
type Handler struct {
	// Handle does the work. Its context ends when a stop is asked for, when
	// the worker stops and when the lease is lost; it then returns soon, with
	// any error. After a domain.Temporary error the run is tried again, not
	// before domain.RetryAfter. Any other ends it as failed.
	Handle func(ctx context.Context, r Run) error

	// Patient runs are tried again as often as it takes while what they need is
	// domain.Away.
	Patient bool

	// Subject is the log's key for what the runs are about: "document", say.
	Subject string

	// Settled notes the end of a run on what it was about. It is called at
	// least once for every run that ended, whoever ended it. It may be nil.
	Settled func(ctx context.Context, r Run) error
}

// Worker claims runs and carries them out. Set its fields, then Start it; it
// is not started twice.
type Worker struct {
	Queue       *Queue
	Handlers    map[string]Handler // by kind
	Concurrency map[string]int     // how many runs of a kind at once; kinds without a number are not claimed
	Process     Process            // see Self
	Now         func() time.Time   // the queue's clock
	Log         *slog.Logger

	Owner     string                          // names the worker's leases, unlike any other's; made of process and time when ""
	Lease     time.Duration                   // 30 s when 0
	Heartbeat time.Duration                   // a sixth of the lease when 0
	Poll      time.Duration                   // how often to look for runs and for stops; 500 ms when 0
	Backoff   func(attempt int) time.Duration // before the next try, from 1; Backoff when nil

	mu      sync.Mutex
	tasks   map[domain.RunID]*task
	failing map[string]string // what does not work at the moment, and why
	free    signal            // a task ended
	loops   sync.WaitGroup
	work    sync.WaitGroup
	cancel  context.CancelCauseFunc // of base; nil until started
	base    context.Context         // of all work
}

// task is a run that this worker leases.
type task struct {
	run    Run
	ctx    context.Context
	cancel context.CancelCauseFunc
	busy   bool // its handler has been called
}

// Why a task's context ended.
var (
	errStopAsked = errors.New("a stop was asked for")
	errShutdown  = errors.New("the worker stops")
	errLost      = errors.New("the lease was lost")
)

// Start makes the worker known, takes over what processes that are gone have
// left, and begins to claim runs. ctx is for the beginning alone; the worker
// goes on until Stop.
func (w *Worker) Start(ctx context.Context) error {
	for _, kind := range slices.Sorted(maps.Keys(w.Concurrency)) {
		if _, ok := w.Handlers[kind]; !ok {
			return fmt.Errorf("start worker: no handler for runs of kind %q", kind)
		}
	}
	w.defaults()
	if err := w.Queue.Register(ctx, w.Owner, w.Process); err != nil {
		return err
	}
	w.base, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	w.takeOver(w.base)
	w.every(w.Poll, w.claim, &w.Queue.news, &w.free)
	w.every(w.Poll, w.watch, &w.Queue.news, &signal{})
	w.every(w.Heartbeat, w.beat, &signal{}, &signal{})
	return nil
}

func (w *Worker) defaults() {
	if w.Owner == "" {
		w.Owner = fmt.Sprintf("%s/%d/%d", w.Process.Host, w.Process.PID, w.Now().UnixNano())
	}
	if w.Lease == 0 {
		w.Lease = 30 * time.Second
	}
	if w.Heartbeat == 0 {
		w.Heartbeat = w.Lease / 6
	}
	if w.Poll == 0 {
		w.Poll = 500 * time.Millisecond
	}
	if w.Backoff == nil {
		w.Backoff = Backoff
	}
	w.tasks, w.failing = map[domain.RunID]*task{}, map[string]string{}
}

// every calls f now, then once an interval and at each of two signals, until
// the worker stops. A signal during f calls it once more.
func (w *Worker) every(interval time.Duration, f func(context.Context), one, other *signal) {
	w.loops.Go(func() {
		for {
			woken, wokenToo := one.wait(), other.wait()
			f(w.base)
			timer := time.NewTimer(interval)
			select {
			case <-w.base.Done():
				timer.Stop()
				return
			case <-woken:
			case <-wokenToo:
			case <-timer.C:
			}
			timer.Stop()
		}
	})
}

// Stop ends all work: no more runs are claimed, the handlers' contexts end,
// and the runs that were cut short are given back. It waits for the handlers
// as long as ctx lasts; what has not returned by then keeps its lease, which
// ends by itself. Stopping a worker that was not started, or twice, does
// nothing.
func (w *Worker) Stop(ctx context.Context) error {
	if w.cancel == nil {
		return nil
	}
	w.cancel(errShutdown)
	done := make(chan struct{})
	go func() {
		w.loops.Wait()
		w.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("wait for runs to end: %w", ctx.Err())
	}
	w.releaseIdle(context.WithoutCancel(ctx))
	return w.Queue.Unregister(context.WithoutCancel(ctx), w.Owner)
}

// releaseIdle gives back the runs that were taken and never done.
func (w *Worker) releaseIdle(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, t := range w.tasks {
		if _, err := w.Queue.Release(ctx, id, w.Owner); err != nil {
			w.log(t.run).ErrorContext(ctx, "give back a run", "err", err)
		}
	}
	clear(w.tasks)
}
