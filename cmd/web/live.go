package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/connections"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/web"
)

// live is a process that serves pages, works on the queue or both. When a setting is changed or another model is connected, it opens the program
// once more beside itself, as another process on the same stores would, hands over to that, and closes the former.
type live struct {
	ctx    context.Context //nolint:containedctx // of the process: what a request begins outlives it
	cfg    config.Config
	env    env
	front  *web.Front // nil without pages
	failed chan error
	ending sync.WaitGroup // of former opened programs

	mu      sync.Mutex
	now     *opened
	stopped bool
}

// opened is the program on the settings and models of when it was opened.
type opened struct {
	app    *app
	kept   connections.Set
	set    settings.Values
	site   *web.Site // nil without pages
	worker *job.Worker
	began  func() // called when the work begins, unless nil

	cancel context.CancelFunc // ends the work
	idle   chan struct{}      // closed once it has ended
}

func newLive(ctx context.Context, cfg config.Config, s env) *live {
	return &live{ctx: ctx, cfg: cfg, env: s, failed: make(chan error, 3)}
}

// open opens the program.
func (l *live) open() (*opened, error) {
	a, err := open(l.ctx, l.cfg, l.env)
	if err != nil {
		return nil, err
	}
	a.reopen = l.reopen
	if a.wordsAlone != nil {
		a.log.WarnContext(l.ctx, "questions are searched for by words alone", "why", domain.InWords(a.wordsAlone))
	}
	return &opened{app: a, kept: a.kept, set: a.values, worker: a.worker(a.kinds().Concurrency())}, nil
}

func (o *opened) addSite() (err error) {
	o.site, err = web.New(o.app.site())
	return err
}

// run works until the process is to end or something fails, then stops in the reverse order of starting. Pages are
// served at once, however long work takes to begin.
func (l *live) run(first *opened, farewell string) error {
	l.now = first
	l.begin(first)
	err := l.follow()
	if err == nil {
		fmt.Fprintln(l.env.stdout, farewell)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), shutdownTimeout)
	defer cancel()
	l.now.halt()
	if l.front != nil {
		half, cancel := context.WithTimeout(ctx, shutdownTimeout/2)
		err = errors.Join(err, l.front.Stop(half))
		cancel()
	}
	err = errors.Join(err, l.now.worker.Stop(ctx))
	l.ending.Wait()
	return errors.Join(err, l.now.app.Close())
}

// begin starts the work on the queue, unless that is left to others.
func (l *live) begin(o *opened) {
	ctx, cancel := context.WithCancel(l.ctx)
	o.cancel, o.idle = cancel, make(chan struct{})
	go func() {
		defer close(o.idle)
		if l.env.noWork {
			return
		}
		if err := o.app.start(ctx, o.worker); err != nil {
			if ctx.Err() == nil {
				l.failed <- err
			}
			return
		}
		if o.began != nil {
			o.began()
		}
		o.app.catchUpLoop(ctx)
	}()
}

// halt ends what brings the stores up to date, so that the worker can be stopped.
func (o *opened) halt() {
	o.cancel()
	<-o.idle
}

// followInterval is how long a model that another process connected is not used yet.
const followInterval = 3 * time.Second

// follow returns when the process is to end, or with the error of what failed. Until then it looks now and then for what
// other processes have connected.
func (l *live) follow() error {
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	for {
		select {
		case err := <-l.failed:
			return err
		case <-l.ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := l.reopen(l.ctx); err != nil && l.ctx.Err() == nil {
			l.env.logger(l.cfg).WarnContext(l.ctx, "what was set is not used yet", "err", err)
		}
	}
}

// reopen has the process use the settings and models that were saved, if they are others than those it uses. Requests and runs
// that are under way go on: pages are answered by the one that began, and runs by the next one from where they are.
func (l *live) reopen(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return nil
	}
	kept, err := l.now.app.connections.All(ctx)
	if err != nil {
		return err
	}
	set, err := l.now.app.set.Values(ctx)
	if err != nil || slices.Equal(kept, l.now.kept) && maps.Equal(set, l.now.set) {
		return err
	}
	next, err := l.open()
	if err != nil {
		return domain.Because(domain.KindOf(err), err, "What was set is saved, but the program can't be opened with it: %s", domain.InWords(err))
	}
	if l.front != nil {
		if err := next.addSite(); err != nil {
			return errors.Join(err, next.app.Close())
		}
		l.front.Use(next.site)
	}
	former := l.now
	l.now = next
	former.halt()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := former.worker.Stop(end); err != nil {
		l.now.app.log.WarnContext(ctx, "the former models still work", "err", err)
	}
	l.begin(next)
	l.ending.Go(func() { l.close(former) })
	l.now.app.log.InfoContext(ctx, "other settings or models are used", "models", next.app.models.names())
	return nil
}

// drainLimit is how long a request, such as a large upload, may take after other models were connected.
const drainLimit = 10 * time.Minute

// close closes what is in use no more, once its last request is answered or the process ends.
func (l *live) close(former *opened) {
	if former.site != nil {
		ctx, cancel := context.WithTimeout(l.ctx, drainLimit)
		defer cancel()
		if err := former.site.End(ctx); err != nil {
			former.app.log.WarnContext(ctx, "a request was cut off", "err", err)
		}
	}
	if err := former.app.Close(); err != nil {
		former.app.log.WarnContext(l.ctx, "close the former models", "err", err)
	}
}
