package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/web"
)

// running is a process that serves pages, works on the queue or both. Runs and requests read what is used when they
// begin, and keep it to their end.
type running struct {
	ctx    context.Context //nolint:containedctx // of the process: what a request changes outlives it
	env    env
	given  config.Config
	used   atomic.Pointer[app] // nil until the program is open
	away   atomic.Value        // an error that says what it is waiting for
	runner *run.Runner
	worker *job.Worker
	server *web.Server // nil if it serves no pages
	began  atomic.Bool // it has begun to work on the queue
	failed chan error

	figures *http.Server // nil until metrics are served, if ever

	mu sync.Mutex // held while used changes
}

// launch opens the program for a process that runs until ctx ends.
func launch(ctx context.Context, cfg config.Config, s env) (*running, error) {
	r := newRunning(ctx, cfg, s)
	return r, r.open(func(*app) error { return nil })
}

// newRunning returns a process that has opened nothing yet.
func newRunning(ctx context.Context, cfg config.Config, s env) *running {
	return &running{ctx: ctx, env: s, given: cfg, failed: make(chan error, 4)}
}

// open opens the program, and uses it once prepare has succeeded.
func (r *running) open(prepare func(*app) error) error {
	a, err := open(r.ctx, r.given, r.env)
	if err != nil {
		return err
	}
	if err := prepare(a); err != nil {
		return errors.Join(err, a.Close())
	}
	if a.used.WordsAlone != nil {
		a.log.WarnContext(r.ctx, "questions are searched by words only", "why", domain.InWords(a.used.WordsAlone))
	}
	for _, sentence := range r.given.Misspelt() {
		a.log.WarnContext(r.ctx, "a setting is unknown", "why", sentence)
	}
	r.runner = a.runner()
	r.worker = a.workerOf(r.runner, a.kinds().Concurrency())
	a.running = r
	r.used.Store(a)
	a.listen()
	return nil
}

// openInterval is the pause between two tries to open what a server that is away keeps closed.
const openInterval = time.Second

// await opens the program like open. While Postgres is away it waits: it serves figures, calls serve, and tries again. It returns nil
// without having opened anything if the process is to end.
func (r *running) await(serve func(*slog.Logger), prepare func(*app) error) error {
	for log := r.env.output(r.given).log; ; {
		err := r.open(prepare)
		if err != nil && r.ctx.Err() != nil {
			return nil //nolint:nilerr // the process is to end
		}
		if err == nil || r.given.Postgres.URL == "" || domain.KindOf(err) != domain.Unavailable {
			return err
		}
		before := r.away.Swap(domain.Because(domain.Unavailable, err, "%s Clew begins as soon as it does. Start it, or start Clew with another DATABASE_URL.", domain.InWords(err)))
		if before == nil {
			if err := r.serveFigures(); err != nil {
				return err
			}
			serve(log)
		}
		if before == nil || before.(error).Error() != r.Ready(r.ctx).Error() {
			log.WarnContext(r.ctx, "nothing works without the ledger", "err", err)
		}
		if domain.Sleep(r.ctx, openInterval) != nil {
			return nil //nolint:nilerr // as above
		}
	}
}

// Ready implements web.Probed.
func (r *running) Ready(ctx context.Context) error {
	if a := r.used.Load(); a != nil {
		return a.Ready(ctx)
	}
	return r.away.Load().(error)
}

// run works until the process is to end or something fails, then stops in the reverse order of starting. Pages are
// served at once, however long work takes to begin. began is called when it has.
func (r *running) run(began func(), farewell string) error {
	if err := r.serveFigures(); err != nil {
		return errors.Join(err, r.used.Load().Close())
	}
	ctx, cancel := context.WithCancel(r.ctx)
	var work sync.WaitGroup
	if !r.env.noWork {
		work.Go(func() { r.work(ctx, began) })
	}
	err := r.followAll()
	if err == nil {
		fmt.Fprintln(r.env.stdout, farewell)
	}
	cancel()
	work.Wait()
	return errors.Join(err, r.handOver(), r.used.Load().Close())
}

// handOver ends requests, streams, work, and at last what shows figures. In a fleet, runs have half of the time to end here, where what they wait for has
// begun; the others go back to the queue, for the next process that works on it.
func (r *running) handOver() (err error) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), r.given.Drain)
	defer cancel()
	half, cancel := context.WithTimeout(ending, r.given.Drain/2)
	defer cancel()
	var finishing sync.WaitGroup
	if r.given.Stores() == config.Fleet {
		finishing.Go(func() { r.worker.Drain(half) })
	}
	if r.server != nil {
		err = r.server.Stop(half)
	}
	finishing.Wait()
	return errors.Join(err, r.worker.Stop(ending), r.figures.Shutdown(ending))
}

// work starts the worker and keeps the stores up to date until ctx ends.
func (r *running) work(ctx context.Context, began func()) {
	err := r.used.Load().start(ctx, r.worker)
	for tries := 0; domain.KindOf(err) == domain.Unavailable && domain.Sleep(ctx, openInterval) == nil; tries++ {
		if tries == 0 {
			r.used.Load().log.WarnContext(ctx, "work begins later", "err", err)
		}
		err = r.used.Load().start(ctx, r.worker)
	}
	if err != nil {
		if ctx.Err() == nil {
			r.failed <- err
		}
		return
	}
	r.began.Store(true)
	began()
	var beside sync.WaitGroup
	beside.Go(func() { r.tellLoop(ctx) })
	beside.Go(func() { r.purgeLoop(ctx) })
	beside.Go(func() { r.lookLoop(ctx) })
	r.catchUpLoop(ctx)
	beside.Wait()
}

// tellInterval is how long a delivery waits for the loop, and capsInterval how long it does not look for caps.
const (
	tellInterval = 2 * time.Second
	capsInterval = time.Minute
)

// tellLoop sends the deliveries of webhooks until ctx ends.
func (r *running) tellLoop(ctx context.Context) {
	tick, caps := time.NewTicker(tellInterval), time.NewTicker(capsInterval)
	defer tick.Stop()
	defer caps.Stop()
	for {
		var err error
		a := r.used.Load()
		select {
		case <-ctx.Done():
			return
		case <-caps.C:
			err = a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error { return a.webhooks.TellCaps(ctx, w.ID) })
		case <-tick.C:
			err = a.webhooks.Send(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "webhooks are told later", "err", err)
		}
	}
}

// lookInterval is how long a source that is due waits to be looked at.
const lookInterval = 5 * time.Second

// lookLoop orders the looks at sources that are due until ctx ends.
func (r *running) lookLoop(ctx context.Context) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	var notices source.Notices
	defer notices.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		a := r.used.Load()
		if err := errors.Join(a.sources.Due(ctx), notices.Keep(ctx, a.sources)); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "sources are looked at later", "err", err)
		}
	}
}

// followInterval is how long what another process has set or connected is not used yet.
const followInterval = 3 * time.Second

// followAll returns when the process is to end, or with the error of a failed part. Until then it checks regularly for
// settings and models that other processes have changed.
func (r *running) followAll() error {
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	for {
		select {
		case err := <-r.failed:
			return err
		case <-r.ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := r.Follow(r.ctx); err != nil && r.ctx.Err() == nil {
			r.used.Load().log.WarnContext(r.ctx, "the new settings are not in use yet", "err", err)
		}
	}
}

// Follow uses the settings and models that are saved now, for the runs and requests that begin from now on.
func (r *running) Follow(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.used.Load()
	next, err := before.renewed(r.ctx)
	if err != nil {
		return domain.Because(domain.KindOf(err), err, "What was set is saved, but it can't be used: %s", domain.InWords(err))
	}
	if next == before {
		return nil
	}
	kinds := next.kinds()
	r.used.Store(next)
	r.runner.Use(kinds)
	r.worker.Allow(kinds.Concurrency())
	if r.server != nil {
		r.server.Use(next.site())
	}
	next.log.InfoContext(r.ctx, "other settings or models are now in use", "models", next.models.Names())
	if !r.env.noWork {
		return next.orderEmbedding(r.ctx)
	}
	return nil
}
