package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/web"
	"github.com/clewhq/clew/static"
)

// grace is how long open requests and runs may take to end.
const grace = 10 * time.Second

// serveCommand serves the pages and works on the queue.
func serveCommand(s surroundings, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the pages, and read and answer what they ask for (the default)",
		Long: `Serve the pages on LISTEN (http://127.0.0.1:8080), and read documents and
answer questions in the background. Ctrl-C stops it; what was at work goes on
at the next start.

With --no-work it serves the pages alone, for clew work beside it to read and
answer: several of each may share the stores of a DATABASE_URL.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			s.pace = reading
			return serve(cmd.Context(), cfg, s, nil)
		},
	}
	cmd.Flags().BoolVar(&s.idle, "no-work", false, "serve the pages alone; clew work does the work")
	return cmd
}

// serve runs until ctx ends. ready, when it is not nil, receives the address
// once pages are served.
func serve(ctx context.Context, cfg config.Config, s surroundings, ready chan<- string) (err error) {
	if err := static.Ready(); err != nil {
		return err
	}
	listener, err := listen(ctx, cfg)
	if err != nil {
		return err
	}
	defer listener.Close()
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.guard(ctx); err != nil {
		return err
	}
	site, err := web.New(a.site())
	if err != nil {
		return err
	}
	worker := a.worker(a.kinds().Concurrency())
	fmt.Fprintf(s.stdout, "Clew is at http://%s\n", listener.Addr())
	a.log.InfoContext(ctx, "serving", "address", listener.Addr().String(), "settings", cfg)
	if ready != nil {
		ready <- listener.Addr().String()
	}
	begin := func(ctx context.Context) error {
		if err := a.begin(ctx, worker); err != nil {
			return err
		}
		a.keepUp(ctx)
		return nil
	}
	if s.idle {
		begin = func(context.Context) error { return nil }
	}
	return a.until(ctx, site, listener, begin, worker)
}

// until serves until ctx ends, then stops in the reverse order of starting.
// Pages are served at once, however long it takes to begin the work.
func (a *app) until(ctx context.Context, site *web.Site, listener net.Listener, begin func(context.Context) error, worker *job.Worker) error {
	failed := make(chan error, 2)
	go func() { failed <- site.Serve(listener) }()
	beginning, cancel := context.WithCancel(ctx)
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		if err := begin(beginning); err != nil && beginning.Err() == nil {
			failed <- err
		}
	}()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		fmt.Fprintln(a.s.stdout, "Stopping. What is at work goes on at the next start.")
	}
	cancel()
	<-begun
	return errors.Join(err, stop(context.WithoutCancel(ctx), site, worker))
}

// begin brings the stores up to date, queues what a killed process had not
// queued yet, and then starts the work on the queue, so that no question is
// answered from stores that are still being filled.
func (a *app) begin(ctx context.Context, worker *job.Worker) error {
	if err := a.catchUp(ctx); err != nil && domain.KindOf(err) != domain.Unavailable {
		return err
	}
	if _, err := a.documents.Recover(ctx, domain.DefaultWorkspace); err != nil {
		return err
	}
	if err := a.forgetThreads(ctx); err != nil {
		return err
	}
	return worker.Start(ctx)
}

// untouched is how long nobody writes to a thread before it is deleted. That
// of a run goes when the run is over: one that is left lost its process before.
const untouched = 30 * 24 * time.Hour

// forgetThreads deletes threads that nobody will go on with. Those that wait
// for an answer stay.
func (a *app) forgetThreads(ctx context.Context) error {
	n, err := a.threads.Prune(ctx, a.s.now().Add(-untouched))
	if n > 0 {
		a.log.InfoContext(ctx, "deleted abandoned threads", "threads", n)
	}
	return err
}

// stop gives open requests half of the time, so that runs have the rest.
func stop(ctx context.Context, site *web.Site, worker *job.Worker) error {
	end, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	half, cancelHalf := context.WithTimeout(end, grace/2)
	defer cancelHalf()
	return errors.Join(site.Stop(half), worker.Stop(end))
}

// listen takes the port before anything else, so that a second start says at
// once what is wrong.
func listen(ctx context.Context, cfg config.Config) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, domain.Because(domain.Unavailable, err, "The address %s is taken, perhaps by another Clew. Set LISTEN to another port, for instance LISTEN=127.0.0.1:8081.", cfg.Listen)
	case errors.Is(err, syscall.EACCES):
		return nil, domain.Because(domain.Forbidden, err, "The address %s may not be used by this user. Set LISTEN to a port above 1023.", cfg.Listen)
	case err != nil:
		return nil, domain.Because(domain.Invalid, err, "The address %s can't be listened on: %v. LISTEN changes it.", cfg.Listen, err)
	}
	return listener, nil
}

// guard makes the first account and refuses to open the doors without one.
func (a *app) guard(ctx context.Context) error {
	if err := a.auth.First(ctx, a.cfg.FirstUser, a.cfg.FirstPassword); err != nil {
		return err
	}
	required, err := a.auth.Required(ctx)
	if err != nil || required || a.cfg.Loopback() {
		return err
	}
	return domain.Errorf(domain.Forbidden, "LISTEN is %s, which other machines can reach, and there is no account. Make one with clew user add NAME, or set FIRST_PASSWORD.", a.cfg.Listen)
}

// keepUpEvery is how long a store that was away may stay behind once it is
// back and nothing else brings it up to date.
const keepUpEvery = 10 * time.Second

// keepUp brings the stores up to date from time to time until ctx ends: one
// that did not answer when something was deleted or decided takes it in later.
func (a *app) keepUp(ctx context.Context) {
	tick := time.NewTicker(keepUpEvery)
	defer tick.Stop()
	waiting := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := a.catchUp(ctx)
		if ctx.Err() == nil && err != nil && !waiting {
			a.log.WarnContext(ctx, "the stores follow later", "err", err)
		}
		waiting = err != nil
	}
}

// catchUp brings the stores up to date with what another process, or an
// interrupted one, left in the ledger.
func (a *app) catchUp(ctx context.Context) error {
	workspaces, err := a.ledger.Workspaces(ctx)
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		if err := a.emptyRestored(ctx, w); err != nil {
			return err
		}
		if err := a.projector.Apply(ctx, w); err != nil {
			return err
		}
	}
	return nil
}
