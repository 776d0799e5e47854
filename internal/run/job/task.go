package job

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// An Adder adds a run in a transaction of the queue's database, and announces it after the commit. A [Queue] leaves the
// run to any worker, a [Taking] to one of this process.
type Adder interface {
	AddTx(ctx context.Context, tx *sql.Tx, r Run) (Run, error)
	Announce()
}

var (
	_ Adder = (*Queue)(nil)
	_ Adder = (*Taking)(nil)
)

// A Taking adds one run that its worker leases from the start, for a program that carries it out itself by Do.
type Taking struct {
	w     *Worker
	taken Run
}

// Take returns a Taking for one run.
func (w *Worker) Take() *Taking { return &Taking{w: w} }

// AddTx is Adder.AddTx.
func (t *Taking) AddTx(ctx context.Context, tx *sql.Tx, r Run) (Run, error) {
	r, err := t.w.Queue.AddLeased(ctx, tx, r, t.w.Owner, t.w.Lease)
	t.taken = r
	return r, err
}

// Announce makes the worker extend the lease until Do.
func (t *Taking) Announce() { t.w.track(t.taken) }

// TakeUp claims a waiting run for a program that carries it out itself by Do. It returns false if another worker was
// first.
func (w *Worker) TakeUp(ctx context.Context, id domain.RunID) (bool, error) {
	r, ok, err := w.Queue.ClaimOne(ctx, id, w.Owner, w.Lease)
	if ok {
		w.track(r)
	}
	return ok, err
}

// Do carries out a run that was added by a Taking or taken up, and returns it as the try left it. When ctx ends, the run
// goes back to the queue. NotFound means that the worker has no such run, Conflict that it is already working on it or
// has lost the lease.
func (w *Worker) Do(ctx context.Context, id domain.RunID) (Run, error) {
	w.mu.Lock()
	t := w.tasks[id]
	busy := t != nil && t.busy
	if t != nil {
		t.busy = true
	}
	w.mu.Unlock()
	if t == nil || busy {
		return Run{}, notTaken(id, busy)
	}
	w.work.Add(1)
	defer w.work.Done()
	defer context.AfterFunc(ctx, func() { t.cancel(errShutdown) })()
	return w.do(t)
}

func notTaken(id domain.RunID, busy bool) error {
	if busy {
		return domain.Errorf(domain.Conflict, "Run %s is already being carried out.", id)
	}
	return domain.Errorf(domain.NotFound, "This worker has not taken a run %s.", id)
}

// do carries out one try of a task, writes its outcome, and settles the run if it ended. It writes even when the worker
// is stopping.
func (w *Worker) do(t *task) (Run, error) {
	defer w.forget(t)
	err := context.Cause(t.ctx)
	if err == nil {
		err = w.handle(t)
	}
	after := context.WithoutCancel(t.ctx)
	r, err := w.conclude(after, t, err)
	switch {
	case domain.KindOf(err) == domain.Conflict: // the run is gone with its document, or was taken over by somebody else
		w.log(t.run).WarnContext(after, "lost a run", "err", err)
	case err != nil:
		w.log(t.run).ErrorContext(after, "note the end of a run", "err", err)
	case r.Status.Ended():
		w.settle(after, r)
	}
	return r, err
}

// log returns a logger that adds the run, its workspace and its subject to each line.
func (w *Worker) log(r Run) *slog.Logger {
	subject := cmp.Or(w.Handlers[r.Kind].Subject, "subject")
	return w.Log.With("run", r.ID, "workspace", r.Workspace, subject, r.Subject, "kind", r.Kind)
}

// handle calls the handler. A panic becomes an error with its stack.
func (w *Worker) handle(t *task) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	h, ok := w.Handlers[t.run.Kind]
	if !ok {
		return fmt.Errorf("no handler for runs of kind %q", t.run.Kind)
	}
	return h.Handle(context.WithValue(t.ctx, slotKey{}, slot{w, t}), t.run)
}

// conclude writes the outcome of a try. A handler that finished wins over a stop that came meanwhile.
func (w *Worker) conclude(ctx context.Context, t *task, err error) (Run, error) {
	id, cause := t.run.ID, context.Cause(t.ctx)
	switch {
	case err == nil:
		return w.Queue.Finish(ctx, id, w.Owner)
	case errors.Is(cause, errLost):
		return t.run, notOwned(id, w.Owner)
	case errors.Is(cause, errStopAsked):
		return w.Queue.ConfirmStop(ctx, id, w.Owner)
	case errors.Is(err, ErrAsleep):
		return w.Queue.Sleep(ctx, t.run, w.Owner)
	case errors.Is(cause, errShutdown):
		return w.Queue.Release(ctx, id, w.Owner)
	}
	if w.Handlers[t.run.Kind].PausesAtCap && domain.KindOf(err) == domain.Capped {
		w.log(t.run).InfoContext(ctx, "run paused at a cap", "err", err)
		return w.Queue.Postpone(ctx, id, w.Owner, err, w.Now().Add(domain.RetryAfter(err)))
	}
	level := slog.LevelError
	if _, expected := errors.AsType[*ExpectedError](err); expected {
		level = slog.LevelInfo
	}
	w.log(t.run).Log(ctx, level, "run failed", "attempt", t.run.Attempt, "err", err)
	if !domain.Temporary(err) {
		return w.Queue.Fail(ctx, id, w.Owner, err, time.Time{})
	}
	wait := max(w.Backoff(t.run.Attempt), domain.RetryAfter(err))
	if waits := w.Handlers[t.run.Kind].WaitsForServers || domain.KindOf(err) == domain.Exhausted; waits && domain.Away(err) {
		wait = max(wait, outageDelay(w.Now().Sub(t.run.StartedAt)))
		return w.Queue.Postpone(ctx, id, w.Owner, err, w.Now().Add(wait))
	}
	return w.Queue.Fail(ctx, id, w.Owner, err, w.Now().Add(wait))
}

// outageDelay returns the delay before the next try during an outage: half of the time so far, at most 2 minutes.
func outageDelay(waited time.Duration) time.Duration { return min(waited/2, 2*time.Minute) }

// settle lets the handler record a run's end. A missing subject settles the run too. After any other error it is tried
// again once the lease has expired.
func (w *Worker) settle(ctx context.Context, r Run) {
	const action = "settle a run"
	marked, taken := false, false
	mark := func(ctx context.Context, tx *sql.Tx) error {
		err := w.Queue.markSettled(ctx, tx, r.ID, w.Owner)
		marked, taken = err == nil, domain.KindOf(err) == domain.Conflict
		return err
	}
	if settled := w.Handlers[r.Kind].Settled; settled != nil {
		err := settled(ctx, r, mark)
		if err != nil && !taken && domain.KindOf(err) != domain.NotFound {
			w.logged(ctx, action, fmt.Errorf("run %s: %w", r.ID, err))
			return
		}
		marked = marked && err == nil // if not, its transaction was rolled back
	}
	var err error
	if !marked && !taken {
		err = w.Queue.MarkSettled(ctx, r.ID, w.Owner)
	}
	if domain.KindOf(err) == domain.Conflict { // somebody else has settled it
		err = nil
	}
	w.logged(ctx, action, err)
}

// Backoff returns the delay after attempt tries: 5 s, 15 s, 45 s and so on, at most 10 minutes.
func Backoff(attempt int) time.Duration {
	const first, most = 5 * time.Second, 10 * time.Minute
	wait := first
	for range attempt - 1 {
		if wait *= 3; wait >= most {
			return most
		}
	}
	return wait
}
