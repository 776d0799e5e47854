// Package run carries out runs of state graphs for the queue's workers, the same way for every kind of run: the run's
// events are recorded, its state is kept on a thread named like the run, an attempt continues where the last one ended,
// and the end is settled once.
//
// A package with runs describes each kind by one [Kind] value. The program lists them in one place.
package run

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Kind describes one kind of run: how it is shown, and how it is carried out.
type Kind struct {
	Name   string // stored with every run
	Title  string // of one run, for a page: "Answer"
	Plural string // heads a list of such runs; "" if lists can't be narrowed to the kind
	Apart  bool   // leaves the runs out of lists that are not narrowed to the kind
	Opens  string // labels the link to a run's subject: "Open the conversation"
	About  string // the log's key for a run's subject: "message"
	Gone   string // shown for a deleted subject: "a deleted question"

	Topology stategraph.Topology // of the run's graph
	// State returns a state of a run of the kind, whose thread has the run's name; see
	// [stategraph.Graph.EncodedAt].
	State func(ctx context.Context, thread string, within []stategraph.Visit, step int) (json.RawMessage, error)
	Cap   string // labels the decision of a run that has used up its loops; "" if it has no loops

	Concurrency int // runs of the kind at a time in one process
	// WaitsForServers keeps a run trying, without limit, while a server that it needs is down. Without
	// it the attempts of a run are limited, except while the disk is full.
	WaitsForServers bool
	// PausesAtCap postpones a run that reaches a cap on costs, until the cap is lifted. Without it the run fails.
	PausesAtCap bool
	// InArchived carries out runs of the kind even in workspaces that are archived or deleted. Without it they wait
	// there.
	InArchived bool

	// Needs is the access required to stop a run of the kind, whoever started it. Without it, a run
	// can be stopped by the person who started it and by admins.
	Needs operation.Scope

	// Whole lets the work read all documents, whoever asked for it. Without it, the work reads only what the run's
	// person may read.
	Whole bool

	// Subjects describes the subjects of runs, by id. Deleted ones are left out.
	Subjects func(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]Subject, error)
	// Work carries out an attempt. The worker tries again after a temporary error, see [job.Handler]. A run that
	// returns a [stategraph.InterruptedError] sleeps until it is woken.
	Work func(ctx context.Context, a *Attempt) error
	// Settled records on the subject how r ended; it returns NotFound if that was deleted. It may be
	// called more than once, and may be nil if there is nothing to record.
	Settled func(ctx context.Context, r job.Run) error
}

// A Subject is the thing that a run is about.
type Subject struct {
	Title string
	Path  string // of the page that shows it, made by package link; "" if there is none
}

// Kinds lists the kinds of run of a program.
type Kinds []Kind

// Named returns the kind with the given name. A run may be of a kind that this version does not have: its kind is
// titled by its name and has an empty graph.
func (l Kinds) Named(name string) Kind {
	for _, k := range l {
		if k.Name == name {
			return k
		}
	}
	return Kind{Name: name, Title: name}
}

// Subjects returns the subjects of runs of one workspace, in the order of runs. A deleted subject has no path.
func (l Kinds) Subjects(ctx context.Context, runs ...job.Run) ([]Subject, error) {
	ids := map[string][]string{} // by kind
	for _, r := range runs {
		ids[r.Kind] = append(ids[r.Kind], r.Subject)
	}
	found := map[string]map[string]Subject{}
	for _, k := range l {
		if k.Subjects == nil || len(ids[k.Name]) == 0 {
			continue
		}
		var err error
		if found[k.Name], err = k.Subjects(ctx, runs[0].Workspace, ids[k.Name]); err != nil {
			return nil, err
		}
	}
	subjects := make([]Subject, len(runs))
	for i, r := range runs {
		k := l.Named(r.Kind)
		s, ok := found[r.Kind][r.Subject]
		switch {
		case ok:
			subjects[i] = s
		case k.Subjects == nil:
			subjects[i].Title = r.Subject
		default:
			subjects[i].Title = k.Gone
		}
	}
	return subjects, nil
}

// Names lists the names of all kinds, or only the given one if there is one.
func (l Kinds) Names(only string) []string {
	if only != "" {
		return []string{only}
	}
	return lists.Map(l, func(k Kind) string { return k.Name })
}

// Apart lists the names of the kinds that lists leave out, or none for a list limited to one kind.
func (l Kinds) Apart(only string) []string {
	var names []string
	for _, k := range l {
		if k.Apart && only == "" {
			names = append(names, k.Name)
		}
	}
	return names
}

// Concurrency returns the number of concurrent runs by kind, for the named kinds or, if there are none, for all.
func (l Kinds) Concurrency(names ...string) map[string]int {
	most := lists.Pairs(l, func(k Kind) (string, int) { return k.Name, k.Concurrency })
	if len(names) == 0 {
		return most
	}
	return lists.Pairs(names, func(name string) (string, int) { return name, most[name] })
}

// IDs converts the ids that Subjects is called with to ids of one kind of subject.
func IDs[T ~string](ids []string) []T {
	return lists.Map(ids, func(id string) T { return T(id) })
}

// A Runner carries out the runs of some kinds.
type Runner struct {
	Hub     *trace.Hub
	Queue   *job.Queue
	Threads Threads        // of the graphs of all kinds
	Costs   *costs.Service // costs of models
	Watch   Watch          // nil if nothing watches

	kinds atomic.Pointer[Kinds]
}

// A Watch is told how runs go, of what graph they are, and when they end. The functions that it returns are called at the end of
// what has begun.
type Watch interface {
	// Run reports an attempt at a run.
	Run(ctx context.Context, graph string, r job.Run) (context.Context, func(error))
	// Node reports a call of a node or a branch, named with the subgraphs around it.
	Node(ctx context.Context, graph, node string) (context.Context, func(error))
	// Settled reports a run that ended, with its events. It may be called more than once.
	Settled(graph string, r job.Run, events []trace.Event)
}

// Use makes runs that start from now on use kinds, which differ from the earlier ones in settings or models. A run keeps
// the kind it started with.
func (r *Runner) Use(kinds Kinds) { r.kinds.Store(&kinds) }

// Threads keeps the threads of runs that have ended.
type Threads interface {
	// End records in a transaction that the run on a thread has ended.
	End(ctx context.Context, tx *sql.Tx, id string) error
}

// Handlers returns the handlers of the queue's worker, by kind, for the kinds in use.
func (r *Runner) Handlers() map[string]job.Handler {
	kinds := *r.kinds.Load()
	handlers := make(map[string]job.Handler, len(kinds))
	for _, k := range kinds {
		now := func() Kind { return r.kinds.Load().Named(k.Name) }
		handlers[k.Name] = job.Handler{
			Handle:          func(ctx context.Context, j job.Run) error { return r.attempt(ctx, now(), j) },
			Settled:         func(ctx context.Context, j job.Run, mark job.Mark) error { return r.settle(ctx, now(), j, mark) },
			WaitsForServers: k.WaitsForServers,
			PausesAtCap:     k.PausesAtCap,
			InArchived:      k.InArchived,
			Subject:         k.About,
		}
	}
	return handlers
}

func (r *Runner) attempt(ctx context.Context, k Kind, j job.Run) error {
	r.Hub.Hold(ctx, j.ID) // needed by settle
	recorder := r.Hub.Record(ctx, j.Workspace, j.ID, j.LastEvent)
	defer recorder.Close()
	ctx = llm.WithOwner(domain.WithPerson(ctx, j.Person), domain.CallOwner{Workspace: j.Workspace, Run: j.ID}) // who models work for
	ctx = domain.WithRightsAt(ctx, j.CreatedAt)
	if k.Whole {
		ctx = domain.WithReader(ctx, "")
	}
	over := func(error) {}
	if r.Watch != nil {
		ctx, over = r.Watch.Run(ctx, k.Topology.Name, j)
	}
	err := k.Work(ctx, &Attempt{Run: j, recorder: recorder, watch: r.Watch})
	over(err)
	if _, asks := errors.AsType[*stategraph.InterruptedError](err); asks {
		return job.ErrAsleep
	}
	return err
}

// settle ends the log of a run last, so that its watchers find the subject settled. Other records of the end are written
// with the last event, which marks the run as settled.
func (r *Runner) settle(ctx context.Context, k Kind, j job.Run, mark job.Mark) (err error) {
	recorder := r.Hub.Record(ctx, j.Workspace, j.ID, j.LastEvent)
	if k.Settled != nil {
		if err = k.Settled(ctx, j); domain.KindOf(err) == domain.NotFound {
			err = nil // the subject is gone
		}
	}
	events, failed := recorder.Events(ctx)
	figures, known, unpriced := r.figures(ctx, k, j, events)
	if err = errors.Join(err, failed, unpriced); err != nil {
		return errors.Join(err, recorder.Close())
	}
	if r.Watch != nil {
		r.Watch.Settled(k.Topology.Name, j, events)
	}
	recorder.Settle(string(j.Status), j.Problem, func(ctx context.Context, tx *sql.Tx) error {
		if known {
			if err := r.Queue.Note(ctx, tx, j.Workspace, j.ID, figures); err != nil {
				return err
			}
		}
		if err := r.Threads.End(ctx, tx, string(j.ID)); err != nil {
			return err
		}
		return mark(ctx, tx)
	})
	return recorder.Close()
}

// figures returns the figures of a run that has ended, from its events, and reports
// whether there are any.
func (r *Runner) figures(ctx context.Context, k Kind, j job.Run, events []trace.Event) (job.Figures, bool, error) {
	if len(events) == 0 {
		return job.Figures{}, false, nil
	}
	figures := k.Figures(j.Status, trace.Fold(j.ID, k.Topology, events))
	if figures.Tokens > 0 {
		spent, err := r.Costs.OfRuns(ctx, j.Workspace, j.ID)
		if err != nil {
			return figures, false, err
		}
		figures.Spent = int64(spent[j.ID].Money)
	}
	return figures, true, nil
}

// Figures sums up a run of the kind that has ended.
func (k Kind) Figures(status job.Status, v *trace.View) job.Figures {
	f := job.Figures{Tokens: v.Tokens(), Resumed: v.Resumed}
	for _, s := range v.Steps {
		f.Capped = f.Capped || k.Cap != "" && slices.ContainsFunc(s.Branches, func(b trace.Branch) bool { return b.Label == k.Cap })
		if s.State == trace.Failed && status == job.Failed {
			f.FailedAt = s.Name()
		}
	}
	return f
}

// KeepEvents returns a function that stores the events of runs for the threads' checkpointer, in its transaction.
// Finishing a task resets the attempts of a run: one that makes progress is never given up, however often its process is
// killed.
func KeepEvents(l *ledger.Ledger, q *job.Queue, h *trace.Hub) func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error {
	return func(ctx context.Context, tx *sql.Tx, thread string, events []stategraph.Event) error {
		b, err := h.Batch(thread, events)
		if err != nil {
			return err
		}
		if b.First {
			if err := q.Progressed(ctx, tx, b.Workspace, b.Run); err != nil {
				return err
			}
		}
		removed, err := l.AddEventsTx(ctx, tx, b.Workspace, b.Run, b.Rows, b.Calls)
		if removed {
			h.Forget(b.Run)
		}
		return err
	}
}

// An Attempt is one try at a run.
type Attempt struct {
	job.Run
	recorder *trace.Recorder
	watch    Watch // nil if nothing watches
}

// Graph runs g for the attempt: from start, or from where an earlier attempt ended. Events are stored in the same
// transaction as the state that they report.
//
// The queue's lease decides which worker has a run. A worker that lost the lease without noticing fails at its next
// write, because a thread belongs to the worker that opened it last.
func Graph[S any](ctx context.Context, a *Attempt, g stategraph.Runnable[S], start S, opts ...stategraph.RunOption) (S, error) {
	if a.watch != nil {
		opts = append(opts, stategraph.Around(a.around))
	}
	return g.Run(ctx, start, append([]stategraph.RunOption{
		stategraph.Thread(string(a.ID)), stategraph.OrResume(),
		stategraph.Observe(a.recorder.Observe), stategraph.Recorded(a.recorder.Keeps),
	}, opts...)...)
}

// around tells the watch of a call of a node.
func (a *Attempt) around(ctx *stategraph.Context, c stategraph.Call) (any, error) {
	path := ctx.Path()
	within, over := a.watch.Node(ctx.Context, path[0], trace.Name(path[1:], ctx.Node()))
	ctx.Context = within
	result, err := c.Do(c.Input)
	over(err)
	return result, err
}

// gather is the moment in which what an answer does is gathered: it is shown as it comes.
const gather = 20 * time.Millisecond

// Gathered is like Graph for a graph whose nodes only call models and write updates: the run continues while its events
// are being written, together with the recorded calls. All answers are written when it returns.
func Gathered[S any](ctx context.Context, a *Attempt, l *ledger.Ledger, g stategraph.Runnable[S], start S, opts ...stategraph.RunOption) (S, error) {
	ctx, tab := l.WithTab(ctx)
	a.recorder.TakeAlong(tab)
	last, err := Graph(ctx, a, g, start, append(opts, stategraph.Gathered(gather))...)
	if failed := tab.Close(context.WithoutCancel(ctx)); failed != nil {
		err = errors.Join(err, failed)
	}
	return last, err
}

// Fork makes [Graph] start at a super-step of another run of g, with a state that edit may change. If an earlier attempt
// has already started the run, Fork does nothing. The error is NotFound if the other run's states are no longer kept.
func Fork[S any](ctx context.Context, a *Attempt, g stategraph.Runnable[S], from domain.RunID, step int, edit func(*S)) error {
	if _, err := g.StateAt(ctx, string(a.ID), step); !errors.Is(err, stategraph.ErrNoThread) {
		return err
	}
	return InWords(g.Fork(ctx, string(from), step, string(a.ID), edit))
}

// Events returns the events of the run so far, those of earlier attempts included.
func (a *Attempt) Events(ctx context.Context) ([]trace.Event, error) {
	return a.recorder.Events(ctx)
}

// Text returns the words that the attempt has written so far.
func (a *Attempt) Text() string { return a.recorder.Text() }

// Show shows text to the run's watchers as if the graph had written it.
func (a *Attempt) Show(text string) {
	a.recorder.Observe(stategraph.Event{Kind: stategraph.Custom, Custom: domain.EventToken, Payload: domain.Token{Text: text}})
}
