package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/format"
)

// A Queue lists runs and workers: a [job.Queue], or a fake in tests.
type Queue interface {
	List(ctx context.Context, w domain.WorkspaceID, q job.Query) ([]job.Run, error)
	LatestOfEachKind(ctx context.Context, w domain.WorkspaceID, s job.Status, n int) ([]job.Run, error)
	Count(ctx context.Context, w domain.WorkspaceID, q job.Query) (int, error)
	Workers(ctx context.Context) ([]job.Registered, error)
}

// A Cursor returns the change of the ledger that a store is at: either store, or a fake in tests.
type Cursor interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
}

// Names describe the stores in words: "Neo4j at bolt://…".
type Names struct {
	Ledger, Graph, Vectors string
	Files                  string // "" if they are next to the ledger
}

// Use is the bytes that something takes on the disk, or More if counting took too long.
type Use struct {
	Name  string
	Bytes int64
	More  bool
}

// Disk is the size of the data folder, and the free space.
type Disk struct {
	Folder string // "" if there is none
	Uses   []Use
	Free   int64 // bytes; valid if Known
	Known  bool
}

// Scarce is the free disk in bytes below which health warns.
const Scarce = 1 << 30

// Low reports whether little space is left.
func (d Disk) Low() bool { return d.Known && d.Free < Scarce }

// MonitorParams configures a Monitor. All fields are required but Files, Can, Outgrown, Models, Program, Monitoring and StoreTimeout.
type MonitorParams struct {
	Ledger       *ledger.Ledger
	Graph        Cursor
	Vectors      Cursor
	Queue        Queue
	Events       *trace.Hub
	Kinds        run.Kinds // of runs
	Answering    run.Kind  // the one that answers questions
	Names        Names
	Files        func(ctx context.Context, w domain.WorkspaceID) error  // why uploaded files can't be reached; called if Files is not ""
	Can          func(ctx context.Context, w domain.WorkspaceID) string // capabilities of the search index
	Outgrown     func(context.Context) (string, error)                  // why the index needs other vectors; "" if it doesn't
	Disk         func(context.Context) Disk
	Models       func() []llm.Load        // how busy this process keeps their servers; nil without models
	Program      string                   // version, commit, Go and platform
	Monitoring   func() []string          // where metrics are served and whether traces arrive, in sentences
	Gone         func(lease.Process) bool // whether a process has certainly ended
	StoreTimeout time.Duration            // for a store to answer; 0 means 3 s
	Now          domain.Clock
}

// A Monitor measures the health of the program.
type Monitor struct{ MonitorParams }

// NewMonitor returns a Monitor.
func NewMonitor(p MonitorParams) *Monitor {
	p.StoreTimeout = cmp.Or(p.StoreTimeout, 3*time.Second)
	return &Monitor{p}
}

// A StoreState is the state of one store.
type StoreState struct {
	Role    string // its contents: "Ledger", "Graph", "Search index"
	Name    string
	Can     string // its capabilities; may be ""
	Took    time.Duration
	Problem string // a sentence if it does not answer
	Foreign bool   // it belongs to another library
	At      int64  // last change that it has
	Behind  int64  // number of missing changes
	Since   time.Time
	Waiting []string // names of the first documents whose changes are missing
}

// Stores returns the state of the ledger, then of the stores that follow it. It asks all of them concurrently.
func (v *Monitor) Stores(ctx context.Context, w domain.WorkspaceID) []StoreState {
	list := []StoreState{
		{Role: "Ledger", Name: v.Names.Ledger}, {Role: "Graph", Name: v.Names.Graph}, {Role: "Search index", Name: v.Names.Vectors},
	}
	asks := []func(context.Context, domain.WorkspaceID) (int64, error){v.Ledger.Head, v.Graph.Cursor, v.Vectors.Cursor}
	if v.Names.Files != "" {
		list = append(list, StoreState{Role: "Files", Name: v.Names.Files})
		asks = append(asks, v.reachFiles)
	}
	var wait sync.WaitGroup
	for i := range list {
		wait.Go(func() { v.ask(ctx, w, &list[i], asks[i]) })
	}
	if v.Can != nil {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, v.StoreTimeout)
			defer cancel()
			can := v.Can(ctx, w)
			list[2].Can = can
		})
	}
	wait.Wait()
	if list[0].Problem == "" {
		for i := range list[1:] {
			v.lag(ctx, w, list[0].At, &list[i+1])
		}
	}
	return list
}

// reachFiles returns the ledger's last change, which uploaded files never lag behind.
func (v *Monitor) reachFiles(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	if err := v.Files(ctx, w); err != nil {
		return 0, err
	}
	return v.Ledger.Head(ctx, w)
}

func (v *Monitor) ask(ctx context.Context, w domain.WorkspaceID, s *StoreState, where func(context.Context, domain.WorkspaceID) (int64, error)) {
	ctx, cancel := context.WithTimeout(ctx, v.StoreTimeout)
	defer cancel()
	began := v.Now()
	at, err := where(ctx, w)
	s.At, s.Took = at, v.Now().Sub(began)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.Problem = fmt.Sprintf("It did not answer within %s.", v.StoreTimeout)
	case err != nil:
		s.Problem, s.Foreign = domain.InWords(err), errors.Is(err, domain.ErrForeign)
		if since, ok := domain.AwaySince(err); ok {
			s.Problem = fmt.Sprintf("%s It has been away for %s.", s.Problem, format.Duration(v.Now().Sub(since)))
		}
	}
}

// lag adds the changes that a store lacks.
func (v *Monitor) lag(ctx context.Context, w domain.WorkspaceID, head int64, s *StoreState) {
	if s.Problem != "" || s.At >= head {
		return
	}
	s.Behind = head - s.At
	pending, err := v.Ledger.Pending(ctx, w, s.At)
	if err != nil {
		return // the lag is shown without its reasons
	}
	s.Since = pending.Since
	for _, id := range pending.Documents {
		name := "a deleted document"
		if d, err := v.Ledger.Document(ctx, w, id); err == nil {
			name = d.Name
		}
		s.Waiting = append(s.Waiting, name)
	}
}

// listed limits the listed runs of each state.
const listed = 5

// QueueState counts the runs that wait, run, and have failed.
type QueueState struct {
	Waiting, Running, Failed int
	Asleep                   int       // waiting runs that need a person
	Oldest                   time.Time // creation of the oldest waiting run; zero if there is none
	Open                     []job.Run // runs waiting or at work, newest first
	Late                     []job.Run // some waiting runs that failed before, newest first
	Dead                     []job.Run // some failed runs, newest first
}

// QueueState returns the state of a workspace's queue.
func (v *Monitor) QueueState(ctx context.Context, w domain.WorkspaceID) (QueueState, error) {
	var q QueueState
	var err error
	if q.Open, err = v.Queue.List(ctx, w, job.Query{Status: job.Unended()}); err != nil {
		return q, err
	}
	for _, r := range q.Open {
		if r.Status == job.Running {
			q.Running++
			continue
		}
		q.Waiting++
		if r.Status.Asleep() {
			q.Asleep++
			continue
		}
		q.Oldest = r.CreatedAt // newest first: the last is the oldest
		if r.Problem != "" && len(q.Late) < listed {
			q.Late = append(q.Late, r)
		}
	}
	if q.Failed, err = v.Queue.Count(ctx, w, job.Query{Status: []job.Status{job.Failed}}); err != nil || q.Failed == 0 {
		return q, err
	}
	q.Dead, err = v.Queue.List(ctx, w, job.Query{Status: []job.Status{job.Failed}, Limit: listed})
	return q, err
}

// A Worker is a process that works on the queue.
type Worker struct {
	Host   string
	PID    int
	Seen   time.Time // last heartbeat
	Leases int       // runs that it has leased
	Gone   bool      // it has certainly ended
}

// Workers lists the workers of all workspaces.
func (v *Monitor) Workers(ctx context.Context) ([]Worker, error) {
	registered, err := v.Queue.Workers(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Worker, len(registered))
	for i, r := range registered {
		list[i] = Worker{Host: r.Process.Host, PID: r.Process.PID, Seen: r.Seen, Leases: r.Leases, Gone: v.Gone(r.Process)}
	}
	return list, nil
}

// How many of the last runs are measured.
const (
	timed  = 200 // of each kind, for durations
	traced = 50  // answers, for loops and grades: each is read step by step
)

// Speed is the distribution of how long the last finished runs of a kind took.
type Speed struct {
	Kind     string // its title
	Runs     int
	P50, P95 time.Duration
}

// Speeds returns the speed of every kind that has run.
func (v *Monitor) Speeds(ctx context.Context, w domain.WorkspaceID) ([]Speed, error) {
	runs, err := v.Queue.LatestOfEachKind(ctx, w, job.Done, timed)
	if err != nil {
		return nil, err
	}
	took := map[string][]time.Duration{}
	for _, r := range runs {
		took[r.Kind] = append(took[r.Kind], r.FinishedAt.Sub(r.StartedAt))
	}
	var list []Speed
	for _, kind := range v.Kinds {
		if times := took[kind.Name]; len(times) > 0 {
			slices.Sort(times)
			list = append(list, Speed{Kind: kind.Title, Runs: len(times), P50: domain.Percentile(times, 50), P95: domain.Percentile(times, 95)})
		}
	}
	return list, nil
}

// Answers sums up how the last questions went.
type Answers struct {
	Questions        int
	Loops            int // rewordings in total
	Capped           int // questions that reached the loop cap without a relevant passage
	Yes, No, Ungiven int // grades; Ungiven counts passages without one
}

// Answers returns how the last questions went, from the steps of their runs.
func (v *Monitor) Answers(ctx context.Context, w domain.WorkspaceID) (Answers, error) {
	var a Answers
	runs, err := v.Queue.List(ctx, w, job.Query{Kind: v.Answering.Name, Status: []job.Status{job.Done}, Limit: traced})
	if err != nil {
		return a, err
	}
	ids := make([]domain.RunID, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	events, err := v.Events.EventsOf(ctx, w, ids)
	if err != nil {
		return a, err
	}
	for id, list := range events {
		a.add(trace.Fold(id, v.Answering.Topology, list))
	}
	return a, nil
}

func (a *Answers) add(run *trace.View) {
	a.Questions++
	for _, s := range run.Steps {
		if s.Node == answer.NodeTransform {
			a.Loops += len(s.Rewrites)
		}
		for _, b := range s.Branches {
			if b.Label == answer.CaseCap {
				a.Capped++
			}
		}
		for _, g := range s.Grades {
			switch g.Verdict {
			case domain.Relevant:
				a.Yes++
			case domain.Irrelevant:
				a.No++
			default:
				a.Ungiven++
			}
		}
	}
}
