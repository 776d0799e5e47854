package job

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/lease"
)

// A Handler carries out the runs of one kind.
type Handler struct {
	// Handle does the work. Its context ends when a stop is requested, when the worker stops and when
	// the lease is lost; Handle then returns soon, with any error. After a domain.Temporary error the
	// run is tried again, but not before domain.RetryAfter. Any other error ends it as failed.
	Handle func(ctx context.Context, r Run) error

	// WaitsForServers keeps a run trying without limit while a server that it needs is down: while errors are domain.Away.
	// While the disk is full, runs of every kind wait.
	WaitsForServers bool

	// PausesAtCap postpones a run at a domain.Capped error until the cap is lifted. Without it the run fails.
	PausesAtCap bool

	// InArchived carries out runs even in workspaces that are archived or deleted. Without it they wait there.
	InArchived bool

	// Subject is the log key of the runs' subjects, such as "document".
	Subject string

	// Settled records the end of a run on its subject. It is called at least once for every run that
	// ended, unless it is nil. It may call mark in its last transaction; if it doesn't, the worker
	// marks the run as settled afterwards.
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

	Owner     string                          // names the worker's leases, unique; made of process and time if ""
	Lease     time.Duration                   // 0 means 30 s
	Heartbeat time.Duration                   // interval; 0 means a sixth of the lease
	Poll      time.Duration                   // how often to look for runs and stops; 0 means 500 ms, or six times as long while a wire reports them
	Backoff   func(attempt int) time.Duration // delay after attempt tries; nil means the function Backoff

	mu      sync.Mutex
	tasks   map[domain.RunID]*task
	failing map[string]string // current errors of the loops, by action
	free    signal            // a task ended, or gave up its slot to wait
	drains  atomic.Bool       // no more runs are claimed
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

// Start registers the worker, takes over the runs of dead processes, and starts to claim runs. ctx covers only the start;
// the worker runs until Stop.
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
	w.every(w.poll, w.claim, &w.Queue.changed, &w.free)
	w.every(w.poll, w.tidy, &w.Queue.stopped, &signal{})
	w.every(w.pollStops, w.watch, &w.Queue.stopped, &signal{})
	w.every(w.presence, w.register, &w.Queue.connected, &signal{})
	w.every(func() time.Duration { return w.Heartbeat }, w.heartbeat, &signal{}, &signal{})
	w.every(w.beat, w.takeOver, &signal{}, &signal{})
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

// poll is the interval of looking for runs and stops. A wire tells of them at once, except of those whose time has come.
func (w *Worker) poll() time.Duration { return sqlio.Interval(w.Queue.wire, w.Poll) }

// pollStops is the interval of looking for stops: of those that come with the end of a session no wire tells.
func (w *Worker) pollStops() time.Duration { return min(w.poll(), max(w.Poll, time.Second)) }

// beat is the interval of looking for processes that are gone.
func (w *Worker) beat() time.Duration { return min(w.Heartbeat, lease.Sign) }

// presence is the interval of saying that the worker lives. Where others see by its session that it does not, it must soon say
// that it only lost its connection: within lease.SilentFor.
func (w *Worker) presence() time.Duration {
	if w.Queue.wire.Listening() {
		return w.beat()
	}
	return w.Heartbeat
}

// every calls f now, then at each interval and each of two signals, until the worker stops. After a signal during f it
// calls f once more.
func (w *Worker) every(interval func() time.Duration, f func(context.Context), one, other *signal) {
	w.loops.Go(func() {
		for {
			woken, wokenToo := one.wait(), other.wait()
			f(w.base)
			timer := time.NewTimer(interval())
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

// Drain has the worker claim no more runs, and waits for those that go on, as long as ctx lasts. Stop returns the others to the queue.
func (w *Worker) Drain(ctx context.Context) {
	w.drains.Store(true)
	for {
		ended := w.free.wait()
		if len(w.leased()) == 0 {
			return
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
	}
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

// claim starts waiting runs as far as the concurrency allows. It claims one run of each kind in turn, because otherwise
// short runs of a high priority could end as fast as they are claimed, and other kinds would never start.
func (w *Worker) claim(ctx context.Context) {
	had := map[string]int{}
	for ctx.Err() == nil && !w.drains.Load() {
		r, ok, err := w.Queue.Claim(ctx, w.Owner, w.room(had), w.Lease)
		if w.logged(ctx, "claim a run", err) || !ok {
			return
		}
		if had[r.Kind] > 0 { // no other kind has a run, so the next round begins
			clear(had)
		}
		had[r.Kind] = 1
		t := w.track(r)
		t.busy = true
		w.work.Go(func() { _, _ = w.do(t) }) // it has logged its error
	}
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

// room returns the kinds of which this worker may start another run. Those in had come after the others.
func (w *Worker) room(had map[string]int) Room {
	w.mu.Lock()
	defer w.mu.Unlock()
	room, going := Room{}, w.count(false)
	for kind, most := range w.Concurrency {
		if going[kind] < most {
			room[kind] = Share{Slots: most, Late: had[kind], Held: map[domain.WorkspaceID]int{}, InArchived: w.Handlers[kind].InArchived}
		}
	}
	for _, t := range w.tasks {
		if s, ok := room[t.run.Kind]; ok && !t.aside {
			s.Held[t.run.Workspace]++
		}
	}
	return room
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
	tasks := w.leased() // before the rows: a run claimed in between is only in the rows
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

// register says that the worker lives, and in which session.
func (w *Worker) register(ctx context.Context) {
	w.logged(ctx, "register the worker", w.Queue.Register(ctx, w.Owner, w.Process))
}

// heartbeat extends the worker's leases, and cancels the tasks whose lease is lost.
func (w *Worker) heartbeat(ctx context.Context) {
	tasks := w.leased()
	if len(tasks) == 0 {
		return
	}
	held, err := w.Queue.Extend(ctx, w.Owner, lists.Map(tasks, func(t *task) domain.RunID { return t.run.ID }))
	if w.logged(ctx, "extend leases", err) {
		return
	}
	for _, t := range tasks {
		if !slices.Contains(held, t.run.ID) {
			t.cancel(errLost)
		}
	}
}

// takeOver takes over the leases of processes that are gone.
func (w *Worker) takeOver(ctx context.Context) {
	n, err := w.Queue.TakeOver(ctx, w.Process.Gone)
	if !w.logged(ctx, "take over runs", err) && n > 0 {
		w.Log.InfoContext(ctx, "took over runs of a process that is gone", "runs", n)
		w.Queue.Announce()
		w.Queue.announceStop() // some may have been asked to stop
	}
}

// slotKey is the context key of a handler's slot.
type slotKey struct{}

// waitingPerSlot bounds the runs that wait without a slot, for each slot. A run that waits holds ids and counts, some kilobytes.
// The bound is of documents that are projected together, too: on servers, a projection of many takes little longer than one of a
// few, and documents go on being read meanwhile.
const waitingPerSlot = 32

// slot is a task's share of its worker's concurrency.
type slot struct {
	w *Worker
	t *task
}

// WithoutSlot calls f, in which the run that ctx belongs to only waits for what others do. Meanwhile the run takes none of
// its kind's slots, so its worker may start another one; it stays leased and is stopped like any. waitingPerSlot times as
// many runs as the kind has slots may wait so at a time; a further one keeps its slot. A run that comes back goes on at once,
// with one run too many, so what takes memory comes before f. Outside of a handler WithoutSlot just calls f.
func WithoutSlot(ctx context.Context, f func() error) error {
	s, ok := ctx.Value(slotKey{}).(slot)
	if !ok || !s.w.stepAside(s.t) {
		return f()
	}
	defer s.w.comeBack(s.t)
	return f()
}

// stepAside gives back the slot of a task and reports whether it did.
func (w *Worker) stepAside(t *task) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.aside || w.count(true)[t.run.Kind] >= waitingPerSlot*w.Concurrency[t.run.Kind] {
		return false
	}
	t.aside = true
	w.free.broadcast()
	return true
}

func (w *Worker) comeBack(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.aside = false
}

// count returns how many tasks wait without a slot, or have one, by kind. The caller holds the worker's lock.
func (w *Worker) count(without bool) map[string]int {
	n := map[string]int{}
	for _, t := range w.tasks {
		if t.aside == without {
			n[t.run.Kind]++
		}
	}
	return n
}

// signal wakes all waiters. The zero value is ready.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait returns a channel that is closed by the next broadcast.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}
