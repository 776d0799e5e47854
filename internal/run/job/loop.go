package job

import (
	"cmp"
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// claim starts waiting runs as far as the concurrency allows. It claims one run of each kind in turn: otherwise short
// runs of a high priority could end as fast as they are claimed, and those of other kinds would never begin. It looks
// before it claims, because a claim waits for whoever writes, and there is nothing to claim most of the times.
func (w *Worker) claim(ctx context.Context) {
	had := map[string]bool{}
	for ctx.Err() == nil {
		r, ok, err := w.claimOne(ctx, w.withCapacity(had))
		if w.logged(ctx, "claim a run", err) || !ok && len(had) == 0 {
			return
		}
		if !ok {
			clear(had)
			continue
		}
		had[r.Kind] = true
		t := w.track(r)
		t.busy = true
		w.work.Go(func() { _, _ = w.do(t) }) // it has logged its error
	}
}

func (w *Worker) claimOne(ctx context.Context, kinds []string) (Run, bool, error) {
	kinds, err := w.Queue.Claimable(ctx, kinds)
	if err != nil || len(kinds) == 0 {
		return Run{}, false, err
	}
	return w.Queue.Claim(ctx, w.Owner, kinds, w.Lease)
}

// tidy ends the runs that nobody can claim, and settles those that ended without a worker.
func (w *Worker) tidy(ctx context.Context) {
	if _, err := w.Queue.Reap(ctx); !w.logged(ctx, "end abandoned runs", err) {
		w.settleEnded(ctx)
	}
}

// logged reports whether an action of the worker's loops failed. It logs an error once while it stays the same, for a disk
// may be full for days, and once more when the action works again. It does not log errors of a stopping worker.
func (w *Worker) logged(ctx context.Context, what string, err error) bool {
	if ctx.Err() != nil {
		return err != nil
	}
	w.mu.Lock()
	before, now := w.failing[what], ""
	if err != nil {
		now = err.Error()
	}
	w.failing[what] = now
	w.mu.Unlock()
	switch {
	case now == before:
	case err != nil:
		w.Log.ErrorContext(ctx, what, "owner", w.Owner, "err", err)
	default:
		w.Log.InfoContext(ctx, what+": it works again", "owner", w.Owner)
	}
	return err != nil
}

// withCapacity lists the kinds, other than those that had their turn, of which this worker may start another run, sorted.
func (w *Worker) withCapacity(had map[string]bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	going := w.count(false)
	var kinds []string
	for kind, most := range w.Concurrency {
		if going[kind] < most && !had[kind] {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// settleEnded settles the runs that ended without an owner, or whose owner died before it settled them.
func (w *Worker) settleEnded(ctx context.Context) {
	kinds := w.kinds()
	for ctx.Err() == nil {
		r, ok, err := w.Queue.ClaimEnded(ctx, w.Owner, kinds, w.Lease)
		if w.logged(ctx, "claim an ended run", err) || !ok {
			return
		}
		w.settle(ctx, r)
	}
}

// track adds a run that this worker has leased.
func (w *Worker) track(r Run) *task {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &task{run: r}
	t.ctx, t.cancel = context.WithCancelCause(w.base)
	w.tasks[r.ID] = t
	return t
}

func (w *Worker) forget(t *task) {
	t.cancel(nil)
	w.mu.Lock()
	delete(w.tasks, t.run.ID)
	w.mu.Unlock()
	w.free.broadcast()
}

// leased lists the worker's tasks by their runs' ids.
func (w *Worker) leased() []*task {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]*task, 0, len(w.tasks))
	for _, t := range w.tasks {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *task) int { return cmp.Compare(a.run.ID, b.run.ID) })
	return all
}

// watch cancels the tasks whose run was asked to stop or whose lease is lost. It only reads, so that long writes elsewhere
// don't delay a stop.
func (w *Worker) watch(ctx context.Context) {
	tasks := w.leased() // before the rows: a run claimed in between is in the rows alone
	if len(tasks) == 0 {
		return
	}
	runs, err := w.Queue.LeasedTo(ctx, w.Owner)
	if w.logged(ctx, "look for stops", err) {
		return
	}
	for _, t := range tasks {
		i, owned := slices.BinarySearchFunc(runs, t.run.ID, func(r Run, id domain.RunID) int { return cmp.Compare(r.ID, id) })
		switch {
		case !owned:
			t.cancel(errLost)
		case runs[i].StopAsked:
			t.cancel(errStopAsked)
		}
	}
}

// heartbeat extends the worker's leases and takes over the leases of dead processes.
func (w *Worker) heartbeat(ctx context.Context) {
	w.logged(ctx, "register the worker", w.Queue.Register(ctx, w.Owner, w.Process))
	for _, t := range w.leased() {
		_, err := w.Queue.Heartbeat(ctx, t.run.ID, w.Owner)
		if domain.KindOf(err) == domain.Conflict {
			t.cancel(errLost)
			continue
		}
		w.logged(ctx, "extend a lease", err)
	}
	w.takeOver(ctx)
}

func (w *Worker) takeOver(ctx context.Context) {
	n, err := w.Queue.TakeOver(ctx, w.Process.Gone)
	if !w.logged(ctx, "take over runs", err) && n > 0 {
		w.Log.InfoContext(ctx, "took over runs of a process that is gone", "runs", n)
		w.Queue.changed.broadcast()
		w.Queue.stopped.broadcast() // some may have been asked to stop
	}
}
