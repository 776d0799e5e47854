package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/web"
	"github.com/clewhq/clew/static"
)

// serveCommand serves the pages and works on the queue.
func serveCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the pages and work on the queue (the default)",
		Long: `Serve the pages on LISTEN (http://127.0.0.1:8080), and read documents and
answer questions in the background. Ctrl-C stops it; unfinished work continues at
the next start.

With --no-work it serves only the pages, and clew work reads and answers: several
of each may share the stores of a DATABASE_URL.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			s.pace = readingPace
			return serve(cmd.Context(), cfg, s, nil)
		},
	}
	cmd.Flags().BoolVar(&s.noWork, "no-work", false, "serve only the pages; clew work does the work")
	return cmd
}

// serve runs until ctx ends. It sends the address to ready, unless that is nil, once pages are served, even if they
// only show what they wait for.
func serve(ctx context.Context, cfg config.Config, s env, ready chan<- string) (err error) {
	if err := static.Ready(); err != nil {
		return err
	}
	listener, err := listen(ctx, "LISTEN", cfg.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	r := newRunning(ctx, cfg, s)
	begin := func() {
		go func() { r.failed <- r.server.Serve(listener) }()
		if ready != nil {
			ready <- listener.Addr().String()
		}
	}
	err = r.await(func(log *slog.Logger) {
		r.server = web.NewWaiting(r.waiting(log))
		fmt.Fprintf(s.stdout, "Clew is at http://%s%s, and waits. %s\n", listener.Addr(), cfg.BasePath, r.Ready(ctx))
		begin()
	}, func(a *app) error { return a.requireAccount(ctx) })
	if err != nil || r.used.Load() == nil {
		return err
	}
	a, waited := r.used.Load(), r.server != nil
	if waited {
		r.server.Use(a.site())
	} else {
		r.server = web.NewServer(a.site())
	}
	if err := r.server.Mountable(cfg.BasePath); err != nil {
		return errors.Join(err, a.Close())
	}
	data := cfg.Data
	if cfg.Stores() == config.Fleet {
		data = "Postgres"
	}
	fmt.Fprintf(s.stdout, "Clew is at http://%s%s\nOpen it to load the sample library or add documents. The data are in %s. Ctrl-C stops it.\n", listener.Addr(), cfg.BasePath, data)
	a.log.InfoContext(ctx, "serving", "address", listener.Addr().String(), "settings", cfg)
	if !waited {
		begin()
	}
	return r.run(func() {}, "Stopping. Unfinished work continues at the next start.")
}

// waiting returns what pages work with before the program is open.
func (r *running) waiting(log *slog.Logger) web.Params {
	proxies, _ := r.given.TrustedProxies() // checked with the settings
	return web.Params{PublicURL: r.given.PublicURL(), BasePath: r.given.BasePath, TokenRate: r.given.TokenRate, Proxies: proxies, Probed: r, Now: r.env.now, Log: log}
}

// start brings the stores up to date, queues what a killed process had not queued yet, and then starts the worker: no
// question is answered from stores that are still being filled.
func (a *app) start(ctx context.Context, worker *job.Worker) error {
	if err := a.catchUp(ctx); err != nil && domain.KindOf(err) != domain.Unavailable {
		return err
	}
	recoverAll := func(ctx context.Context, w domain.Workspace) error {
		_, err := a.documents.Recover(ctx, w.ID)
		return err
	}
	if err := errors.Join(a.inEach(ctx, recoverAll), a.orderEmbedding(ctx), a.pruneThreads(ctx), a.sweepThreads(ctx), a.retention().CarryOut(ctx)); err != nil {
		return err
	}
	return worker.Start(ctx)
}

// orderEmbedding orders the runs that embed what no run has embedded yet.
func (a *app) orderEmbedding(ctx context.Context) error {
	return a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error {
		a.maintenance.OrderEmbedding(ctx, w.ID)
		return nil
	})
}

// threadExpiry is the age at which an unused thread of a run that has not ended is deleted: its process was lost.
const threadExpiry = 30 * 24 * time.Hour

// pruneThreads deletes abandoned threads, except those that wait for an answer.
func (a *app) pruneThreads(ctx context.Context) error {
	n, err := a.threads.Prune(ctx, a.env.now().Add(-threadExpiry))
	if n > 0 {
		a.log.InfoContext(ctx, "deleted abandoned threads", "threads", n)
	}
	return err
}

// sweepInterval is how often the states of ended runs are counted and the oldest deleted.
const sweepInterval = 10 * time.Minute

// sweepThreads deletes what KEEP_RUNS and KEEP_RUNS_MB do not keep.
func (a *app) sweepThreads(ctx context.Context) error {
	n, err := a.threads.Sweep(ctx, a.env.now().AddDate(0, 0, -a.cfg.KeepRuns), int64(a.cfg.KeepRunsMB)<<20)
	if n > 0 {
		a.log.InfoContext(ctx, "deleted the states of old runs", "runs", n)
	}
	return err
}

// listen opens the port before anything else, so that a second start says at once what is wrong.
func listen(ctx context.Context, setting, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, domain.Because(domain.Unavailable, err, "The address %s is taken, perhaps by another Clew. Set %[2]s to another port, for instance %[2]s=127.0.0.1:8081.", address, setting)
	case errors.Is(err, syscall.EACCES):
		return nil, domain.Because(domain.Forbidden, err, "The address %s is not allowed for this user. Set %s to a port above 1023.", address, setting)
	case err != nil:
		return nil, domain.Because(domain.Invalid, err, "The address %s can't be listened on: %v. Set %s to another.", address, err, setting)
	}
	return listener, nil
}

// requireAccount adds the first account of the settings. Without any account it refuses to serve other machines.
func (a *app) requireAccount(ctx context.Context) error {
	if err := a.auth.First(ctx, a.cfg.FirstUser, a.cfg.FirstPassword); err != nil {
		return err
	}
	required, err := a.auth.Required(ctx)
	if err != nil || required || a.cfg.Loopback() {
		return err
	}
	return domain.Errorf(domain.Forbidden, "LISTEN is %s, which other machines can reach, but there is no account. Add one with clew user add NAME, or set FIRST_PASSWORD.", a.cfg.Listen)
}

// catchUpInterval is how long a store may stay behind after it was down, when nothing else brings it up to date.
const catchUpInterval = 10 * time.Second

// eraseInterval is how often the loop looks for deletions that can't be undone any more.
const eraseInterval = time.Second

// scrubbedAtOnce is how many pages of each database the loop looks at for deleted words in a second:
// 16 MB, in about a tenth of it.
const scrubbedAtOnce = 1 << 12

// catchUpLoop brings the stores up to date at intervals until ctx ends, for changes that came while one was down, and
// carries deletions out, to the disk.
func (r *running) catchUpLoop(ctx context.Context) {
	tick, sweep, erase := time.NewTicker(catchUpInterval), time.NewTicker(sweepInterval), time.NewTicker(eraseInterval)
	defer tick.Stop()
	defer sweep.Stop()
	defer erase.Stop()
	behind := false
	for {
		a := r.used.Load()
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := a.sweepThreads(ctx); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "delete the states of old runs", "err", err)
			}
			if err := a.retention().CarryOut(ctx); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "delete what is too old", "err", err)
			}
			continue
		case <-erase.C:
			err := a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error {
				return errors.Join(a.documents.CarryOut(ctx, w.ID), a.ledger.DeleteHiddenConversations(ctx, w.ID))
			})
			if err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "carry out deletions", "err", err)
			}
			a.documents.ScrubDisk(ctx, scrubbedAtOnce)
			continue
		case <-tick.C:
		}
		err := a.catchUp(ctx)
		if ctx.Err() == nil && err != nil && !behind {
			a.log.WarnContext(ctx, "the stores follow later", "err", err)
		}
		behind = err != nil
	}
}

// warnOfUnread prints how many documents are still being read, and reports whether there are any.
func (a *app) warnOfUnread(ctx context.Context) bool {
	r, err := a.ledger.Reading(ctx, domain.WorkspaceOf(ctx), a.env.now())
	unread := r.Documents - r.Paused - r.AtCap
	if err != nil || unread == 0 {
		return false
	}
	fmt.Fprintf(a.env.stderr, "clew: %s still being read, so something may be missing below. clew documents reading shows how far that is.\n", domain.Counted(unread, "document is", "documents are"))
	return true
}

// warnOfEmptied logs that nothing is found in a store until it is refilled. A store with the layout of another version
// is emptied when it is opened, and one is empty while the first document is being read.
func (a *app) warnOfEmptied(ctx context.Context) {
	if a.projector == nil {
		return
	}
	at, err := a.projector.Behind(ctx, domain.WorkspaceOf(ctx))
	if err == nil && at.Head > 0 && (at.Graph == 0 || at.Vectors == 0) && !a.warnOfUnread(ctx) {
		fmt.Fprintln(a.env.stderr, "clew: The graph or the search index is empty until it is filled from the ledger. clew serve does that as it starts; without a server, run clew rebuild.")
	}
}

// catchUp brings the stores up to date with the ledger, which other processes write too.
func (a *app) catchUp(ctx context.Context) error {
	workspaces, err := a.ledger.WorkspaceIDs(ctx)
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		if err := a.fillRestored(ctx, w); err != nil {
			return err
		}
		if err := a.projector.Apply(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// workCommand works on the queue without serving pages.
func workCommand(s env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "work",
		Short: "Work on the queue without serving pages",
		Long: `Read documents and answer questions that other processes queued, for instance
clew serve --no-work on the same stores. Any number may run: each run belongs to
one of them, and when that one dies another takes it over within seconds. Ctrl-C
stops it; unfinished work continues elsewhere.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			return work(cmd.Context(), cfg, s)
		},
	}
}

// work works on the queue until ctx ends.
func work(ctx context.Context, cfg config.Config, s env) error {
	r := newRunning(ctx, cfg, s)
	err := r.await(func(*slog.Logger) { fmt.Fprintf(s.stdout, "Waiting. %s\n", r.Ready(ctx)) }, func(*app) error { return nil })
	if err != nil || r.used.Load() == nil {
		return err
	}
	return r.run(func() {
		fmt.Fprintln(s.stdout, "Working on the queue.")
		r.used.Load().log.InfoContext(ctx, "working", "settings", cfg)
	}, "Stopping. Unfinished work continues elsewhere, or at the next start.")
}

// The heap may grow to roomForHeap before it is collected, or to two and a half times what is in use if that is more. Little is in use,
// 6 MB while documents are read and 25 MB in a server, and a question allocates 4 MB.
const (
	gcPercent   = 150
	roomForHeap = 128 << 20
)

// limitMemory configures the garbage collector: seldom while there is room, and harder before the memory of the
// container is used up. GOGC and GOMEMLIMIT take precedence.
func limitMemory(cfg config.Config, s env) {
	given := func(name string) bool {
		return slices.ContainsFunc(s.environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	if s.process && !given("GOGC") {
		collectSeldom()
	}
	if given("GOMEMLIMIT") {
		return
	}
	if limit, err := memlimit.FromCgroup(); err == nil && limit < 1<<50 { // version 1 of control groups: huge means no limit
		debug.SetMemoryLimit(ownMemory(int64(limit), int64(cfg.Ingests)*cfg.ParseMemory()))
	}
}

// ownMemory returns how much of limit the program itself may use: nine tenths,
// less what the processes that parse may take, but no less than half.
func ownMemory(limit, parsers int64) int64 { return max(limit/10*9-parsers, limit/2) }

// A mark is garbage from the beginning, so that its finalizer runs after each collection.
type mark [64]byte

// collectSeldom sets how far the heap may grow, now and after each collection.
func collectSeldom() { new(mark).pace() }

func (m *mark) pace() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
	runtime.SetFinalizer(m, (*mark).pace)
}

// percentFor returns the garbage collection percentage for a heap with live bytes in use.
func percentFor(live uint64) int {
	live = max(live, 4<<20) // nothing has been collected yet
	return max(gcPercent, int(roomForHeap*100/live)-100)
}
