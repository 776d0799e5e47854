package job

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/lease"
)

// A Handler carries out the runs of one kind.
type Handler struct {
	// Handle does the work. Its context ends when a stop is asked for, when the worker stops and when the lease is lost;
	// Handle then returns soon, with any error. After a domain.Temporary error the run is tried again, not before
	// domain.RetryAfter. Any other error ends it as failed.
	Handle func(ctx context.Context, r Run) error

	// WaitsForServers keeps a run trying without limit while a server that it needs is down: while errors are domain.Away.
	// While the disk is full, runs of every kind wait.
	WaitsForServers bool

	// PausesAtCap puts a run off at a domain.Capped error, until the cap is lifted. Without it the run fails.
	PausesAtCap bool

	// Subject is the log key of the runs' subjects, such as "document".
	Subject string

	// Settled notes the end of a run on its subject. It is called at least once for every run that ended, unless it is
	// nil. It may call mark in its last transaction; else the worker marks the run as settled afterwards.
	Settled func(ctx context.Context, r Run, mark Mark) error
}

// A Mark marks a run as settled in a transaction of the queue's database. Conflict means that somebody else has settled it.
type Mark func(ctx context.Context, tx *sql.Tx) error

// A Worker claims runs and carries them out. Set its fields, then Start it once.
type Worker struct {
	Queue       *Queue
	Handlers    map[string]Handler // by kind
	Concurrency map[string]int     // runs at a time by kind; kinds without a number are not claimed
	Process     lease.Process      // see lease.Self
	Now         domain.Clock       // the queue's clock
	Log         *slog.Logger

	Owner     string                          // names the worker's leases; unique, made of process and time when ""
	Lease     time.Duration                   // 30 s when 0
	Heartbeat time.Duration                   // interval; a sixth of the lease when 0
	Poll      time.Duration                   // interval of looking for runs and stops; 500 ms when 0
	Backoff   func(attempt int) time.Duration // delay after attempt tries; the function Backoff when nil

	mu      sync.Mutex
	tasks   map[domain.RunID]*task
	failing map[string]string // errors of the loops at the moment, by action
	free    signal            // a task ended or waits without its slot
	loops   sync.WaitGroup
	work    sync.WaitGroup
	cancel  context.CancelCauseFunc // cancels base; nil until started
	base    context.Context         // context of all work
}

// task is a run that this worker has leased.
type task struct {
	run    Run
	ctx    context.Context
	cancel context.CancelCauseFunc
	busy   bool // its handler has been called
	aside  bool // it waits without a slot
}

// Why a task's context ended.
var (
	errStopAsked = errors.New("a stop was asked for")
	errShutdown  = errors.New("the worker stops")
	errLost      = errors.New("the lease was lost")
)

// Start registers the worker, takes over the runs of dead processes, and starts to claim runs. ctx covers the start only;
// the worker goes on until Stop.
func (w *Worker) Start(ctx context.Context) error {
	for _, kind := range w.kinds() {
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
	w.every(w.Poll, w.claim, &w.Queue.changed, &w.free)
	w.every(w.Poll, w.tidy, &w.Queue.stopped, &signal{})
	w.every(w.Poll, w.watch, &w.Queue.stopped, &signal{})
	w.every(w.Heartbeat, w.heartbeat, &signal{}, &signal{})
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

// every calls f now, then at each interval and each of two signals, until the worker stops. After a signal during f it
// calls f once more.
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

// Allow changes how many runs of each kind go on at a time. The kinds stay those that the worker was started with.
func (w *Worker) Allow(concurrency map[string]int) {
	w.mu.Lock()
	w.Concurrency = concurrency
	w.mu.Unlock()
	w.free.broadcast()
}

// kinds lists the kinds that are claimed.
func (w *Worker) kinds() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.Concurrency))
}

// Stop ends all work: it claims no more runs, ends the handlers' contexts, and returns unfinished runs to the queue. It
// waits for the handlers as long as ctx lasts; the run of a handler that is still busy then keeps its lease until that
// expires. Stopping a worker that was not started, or twice, does nothing.
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

// releaseIdle returns the runs that were taken and never done to the queue.
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
